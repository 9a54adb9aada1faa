/* The native methods of Podium.java. A value is passed as a number and not in an array, because Java may copy an array
   to hand it over, and nobody wipes the copy. */
#include "podium.h"

#include <jni.h>

/* Returns whether the status is PODIUM_OK. Otherwise an exception is thrown when the method returns. */
static int succeeded(JNIEnv *env, podium_status status) {
    if (status != PODIUM_OK)
        (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), podium_status_message(status));
    return status == PODIUM_OK;
}

/* The buffer is at least as large as a collection, or there is no collection. */
static podium_collection *collection_of(JNIEnv *env, jobject buffer) {
    if ((*env)->GetDirectBufferCapacity(env, buffer) >= (jlong)sizeof(podium_collection))
        return (*env)->GetDirectBufferAddress(env, buffer);
    succeeded(env, PODIUM_ERROR_BUFFER_TOO_SMALL);
    return NULL;
}

JNIEXPORT void JNICALL Java_Podium_parse(JNIEnv *env, jclass class, jobject buffer, jbyteArray question) {
    (void)class;
    char text[PODIUM_COLLECTION_TEXT_MAX];
    podium_collection *collection = collection_of(env, buffer);
    const jsize n = (*env)->GetArrayLength(env, question);
    if (collection == NULL || (n > (jsize)sizeof text && !succeeded(env, PODIUM_ERROR_TEXT_MALFORMED)))
        return;
    (*env)->GetByteArrayRegion(env, question, 0, n, (jbyte *)text);
    succeeded(env, podium_collection_parse(collection, NULL, 0, NULL, text, (size_t)n));
}

JNIEXPORT jbyteArray JNICALL Java_Podium_code__Ljava_nio_ByteBuffer_2D(JNIEnv *env, jclass class, jobject buffer,
                                                                       jdouble value) {
    (void)class;
    uint32_t cell;
    unsigned char code[4];
    const podium_collection *collection = collection_of(env, buffer);
    if (collection == NULL || !succeeded(env, podium_privatize_cells(collection, NULL, &cell, &value, 1)) ||
        !succeeded(env, podium_codes_encode(collection, code, sizeof code, &cell, 1)))
        return NULL;
    const jsize n = (jsize)podium_code_bytes(collection);
    jbyteArray sent = (*env)->NewByteArray(env, n);
    if (sent != NULL)
        (*env)->SetByteArrayRegion(env, sent, 0, n, (const jbyte *)code);
    return sent;
}
