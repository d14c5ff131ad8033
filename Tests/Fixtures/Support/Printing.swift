/// What `print`, `debugPrint` and `dump` show of a value.
package func printed(_ value: Any) -> String {
  var text = String(describing: value) + " " + String(reflecting: value) + " "
  dump(value, to: &text)
  return text
}
