#pragma once

// libcrypto is opened on first use, not linked: loading it costs each start a millisecond, and a cached token needs
// none of it.

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>

#define LIBCRYPTO_FUNCTIONS(DO) \
  DO(BN_bin2bn) DO(BN_bn2binpad) DO(BN_free) DO(BN_num_bits) DO(ECDSA_SIG_free) DO(ECDSA_SIG_get0_r) \
  DO(ECDSA_SIG_get0_s) DO(ECDSA_SIG_new) DO(ECDSA_SIG_set0) DO(ERR_clear_error) DO(ERR_get_error) \
  DO(ERR_reason_error_string) DO(EVP_CIPHER_CTX_ctrl) DO(EVP_CIPHER_CTX_free) DO(EVP_CIPHER_CTX_new) \
  DO(EVP_CIPHER_fetch) DO(EVP_CIPHER_free) DO(EVP_CipherFinal_ex) DO(EVP_CipherInit_ex2) DO(EVP_CipherUpdate) \
  DO(EVP_DigestSign) DO(EVP_DigestSignInit_ex) DO(EVP_DigestVerify) DO(EVP_DigestVerifyInit_ex) DO(EVP_MD_CTX_free) \
  DO(EVP_MD_CTX_new) DO(EVP_PKCS82PKEY) DO(EVP_PKEY2PKCS8) DO(EVP_PKEY_CTX_free) DO(EVP_PKEY_CTX_new_from_name) \
  DO(EVP_PKEY_CTX_new_from_pkey) DO(EVP_PKEY_CTX_set_rsa_padding) DO(EVP_PKEY_CTX_set_rsa_pss_saltlen) \
  DO(EVP_PKEY_Q_keygen) DO(EVP_PKEY_free) DO(EVP_PKEY_fromdata) DO(EVP_PKEY_fromdata_init) \
  DO(EVP_PKEY_get_bn_param) DO(EVP_PKEY_get_raw_public_key) DO(EVP_PKEY_new_raw_public_key_ex) \
  DO(EVP_PKEY_pairwise_check) DO(EVP_PKEY_public_check) DO(EVP_Q_digest) DO(OSSL_LIB_CTX_new) \
  DO(OSSL_PARAM_BLD_free) DO(OSSL_PARAM_BLD_new) DO(OSSL_PARAM_BLD_push_BN) DO(OSSL_PARAM_BLD_to_param) \
  DO(OSSL_PARAM_construct_end) DO(OSSL_PARAM_construct_octet_string) DO(OSSL_PARAM_construct_utf8_string) \
  DO(OSSL_PARAM_free) DO(PKCS8_PRIV_KEY_INFO_free) DO(d2i_ECDSA_SIG) DO(d2i_PKCS8_PRIV_KEY_INFO) \
  DO(i2d_ECDSA_SIG) DO(i2d_PKCS8_PRIV_KEY_INFO)

struct libcrypto {
#define LIBCRYPTO_MEMBER(name) __typeof__(&name) name;
  LIBCRYPTO_FUNCTIONS(LIBCRYPTO_MEMBER)
#undef LIBCRYPTO_MEMBER
};

/// Opens the headers' version of libcrypto and looks up its functions; on failure, `reason` contains the message. The
/// library stays open until the process ends: OpenSSL can't be unloaded.
bool libcrypto_open(struct libcrypto *library, char *reason, size_t capacity);

// In C, since OSSL_PARAM keeps the addresses of names and values; a Swift string's is valid only during one call.

EVP_PKEY *libcrypto_rsa_public_key(const struct libcrypto *library, const unsigned char *modulus, int modulus_length,
                                   const unsigned char *exponent, int exponent_length);
EVP_PKEY *libcrypto_ec_public_key(const struct libcrypto *library, const char *group, const unsigned char *point,
                                  size_t point_length);

/// Generates a key on a curve (EC), or of 2048 bits (RSA; ED25519 has one size). Swift can't call variadic functions.
static inline EVP_PKEY *libcrypto_generate(const struct libcrypto *library, const char *type, const char *curve) {
  return curve != NULL ? library->EVP_PKEY_Q_keygen(NULL, NULL, type, curve)
                       : library->EVP_PKEY_Q_keygen(NULL, NULL, type, (size_t)2048);
}
