-- pandoc's filter for the pages in this directory: their title and first paragraph become NAME, and tables, which are too
-- wide for a terminal, become lists. Code keeps the characters that troff would replace, so that it can be copied.

local replacements = {
  ["\\"] = "\\e", ["-"] = "\\-", ["'"] = "\\[aq]", ['"'] = "\\[dq]", ["`"] = "\\[ga]", ["^"] = "\\[ha]", ["~"] = "\\[ti]",
}

local function verbatim(text)
  return (text:gsub("[\\%-'\"`^~]", replacements):gsub("^%.", "\\&."):gsub("\n%.", "\n\\&."))
end

local function bold(text)
  return pandoc.RawInline("man", "\\f[B]" .. verbatim(text) .. "\\f[R]")
end

function Code(code)
  return bold(code.text)
end

function CodeBlock(block)
  return pandoc.RawBlock("man", ".IP\n.EX\n" .. verbatim(block.text) .. "\n.EE")
end

-- A page's reference, such as msauth(1)
function Str(word)
  local before, name, section, after = word.text:match("^(.-)([%w-]+)(%(%d%))(.*)$")
  if name then return { pandoc.Str(before), bold(name), pandoc.Str(section .. after) } end
end

function Link(link)
  if link.target:match("%.md$") then return link.content end
end

function Table(wide)
  local items = {}
  for _, row in ipairs(pandoc.utils.to_simple_table(wide).rows) do
    table.insert(items, { pandoc.utils.blocks_to_inlines(row[1]), { row[2] } })
  end
  return pandoc.DefinitionList(items)
end

function Pandoc(page)
  local blocks = page.blocks
  local name, section = PANDOC_STATE.input_files[1]:match("^(.*)%.(%d)%.md$")
  local summary = pandoc.utils.stringify(blocks[2]):gsub("%.$", ""):gsub("^%u%l", string.lower)
  page.meta.title, page.meta.section = name:upper(), section
  blocks[1] = pandoc.Header(2, "Name")
  blocks[2] = pandoc.Para { pandoc.Str(name), pandoc.RawInline("man", " \\- "), pandoc.Str(summary) }
  for _, block in ipairs(blocks) do
    if block.t == "Header" then
      block.level = block.level - 1
      if block.level == 1 then block.content = { pandoc.Str(pandoc.text.upper(pandoc.utils.stringify(block))) } end
    end
  end
  return page
end
