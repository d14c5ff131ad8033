#include "CLibCrypto.h"

#include <dlfcn.h>
#include <stdio.h>

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

bool libcrypto_open(struct libcrypto *library, char *reason, size_t capacity) {
  const char *name = "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION);
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) {
    const char *text = dlerror();
    snprintf(reason, capacity, "%s", text != NULL ? text : name);
    return false;
  }
  // POSIX allows converting a pointer from dlsym to a function pointer; ISO C doesn't, hence void **.
#define LOOK_UP(function) \
  *(void **)&library->function = dlsym(handle, #function); \
  if (library->function == NULL) { \
    snprintf(reason, capacity, "%s has no %s", name, #function); \
    return false; \
  }
  LIBCRYPTO_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  return true;
}

static EVP_PKEY *public_key(const struct libcrypto *library, const char *type, OSSL_PARAM *parameters) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = library->EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (context == NULL || library->EVP_PKEY_fromdata_init(context) != 1
      || library->EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
    key = NULL;
  library->EVP_PKEY_CTX_free(context);
  return key;
}

EVP_PKEY *libcrypto_rsa_public_key(const struct libcrypto *library, const unsigned char *modulus, int modulus_length,
                                   const unsigned char *exponent, int exponent_length) {
  EVP_PKEY *key = NULL;
  BIGNUM *n = library->BN_bin2bn(modulus, modulus_length, NULL);
  BIGNUM *e = library->BN_bin2bn(exponent, exponent_length, NULL);
  OSSL_PARAM_BLD *builder = library->OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (n != NULL && e != NULL && builder != NULL
      && library->OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
      && library->OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
    parameters = library->OSSL_PARAM_BLD_to_param(builder);
  if (parameters != NULL)
    key = public_key(library, "RSA", parameters);
  library->OSSL_PARAM_free(parameters);
  library->OSSL_PARAM_BLD_free(builder);
  library->BN_free(n);
  library->BN_free(e);
  return key;
}

EVP_PKEY *libcrypto_ec_public_key(const struct libcrypto *library, const char *group, const unsigned char *point,
                                  size_t point_length) {
  OSSL_PARAM parameters[] = {
      library->OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
      library->OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, point_length),
      library->OSSL_PARAM_construct_end(),
  };
  return public_key(library, "EC", parameters);
}
