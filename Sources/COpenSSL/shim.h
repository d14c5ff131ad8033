#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// OSSL_PARAM keeps the address of a parameter's name and value. A Swift string's address ends with the call that it was
// passed to, so parameters are put together here, where a name is a literal and a value outlives its use.

static inline EVP_PKEY *msauth_public_key_from(const char *type, OSSL_PARAM *parameters) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (context == NULL || EVP_PKEY_fromdata_init(context) != 1
      || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
    key = NULL;
  EVP_PKEY_CTX_free(context);
  return key;
}

static inline EVP_PKEY *msauth_rsa_public_key(const unsigned char *modulus, int modulus_length,
                                              const unsigned char *exponent, int exponent_length) {
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, modulus_length, NULL);
  BIGNUM *e = BN_bin2bn(exponent, exponent_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (n != NULL && e != NULL && builder != NULL && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
    parameters = OSSL_PARAM_BLD_to_param(builder);
  if (parameters != NULL)
    key = msauth_public_key_from("RSA", parameters);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  return key;
}

static inline EVP_PKEY *msauth_ec_public_key(const char *group, const unsigned char *point, size_t point_length) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, point_length),
      OSSL_PARAM_construct_end(),
  };
  return msauth_public_key_from("EC", parameters);
}

// Swift cannot call a variadic function.

static inline EVP_PKEY *msauth_generate_rsa(size_t bits) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }
static inline EVP_PKEY *msauth_generate_ec(const char *group) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", group); }
static inline EVP_PKEY *msauth_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }
