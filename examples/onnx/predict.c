/* Predict by an exported model, without Python: one sample of numbers per line of standard input.
 *
 *   cc predict.c -o predict $(pkg-config --cflags --libs libonnxruntime)
 *   echo "5.1 3.5 1.4 0.2" | ./predict model.onnx
 *
 * It prints the label and the probabilities of all classes.
 */
#include <inttypes.h>
#include <onnxruntime_c_api.h>
#include <stdio.h>
#include <stdlib.h>

static const OrtApi *ort;

static void check(OrtStatus *status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", ort->GetErrorMessage(status));
  exit(1);
}

/* Number of columns of an input or output of shape (rows, columns). */
static int64_t width_of(OrtTypeInfo *info) {
  const OrtTensorTypeAndShapeInfo *tensor;
  int64_t shape[2];
  check(ort->CastTypeInfoToTensorInfo(info, &tensor));
  check(ort->GetDimensions(tensor, shape, 2));
  ort->ReleaseTypeInfo(info);
  return shape[1];
}

static void print_label(OrtValue *label) {
  OrtTensorTypeAndShapeInfo *info;
  ONNXTensorElementDataType type;
  check(ort->GetTensorTypeAndShape(label, &info));
  check(ort->GetTensorElementType(info, &type));
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    size_t length, start;
    check(ort->GetStringTensorDataLength(label, &length));
    char *text = calloc(length + 1, 1);
    check(ort->GetStringTensorContent(label, text, length, &start, 1));
    printf("%s", text);
    free(text);
  } else {
    void *value;
    check(ort->GetTensorMutableData(label, &value));
    printf("%" PRId64, *(int64_t *)value);
  }
}

int main(int argc, char **argv) {
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  OrtMemoryInfo *memory;
  OrtTypeInfo *info;
  const char *inputs[] = {"X"}, *outputs[] = {"label", "probabilities"};

  if (argc != 2) {
    fprintf(stderr, "usage: %s model.onnx < samples\n", argv[0]);
    return 2;
  }
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (ort == NULL) {
    fprintf(stderr, "this library of ONNX Runtime is older than the header onnxruntime_c_api.h\n");
    return 1;
  }
  check(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "ecoc", &env));
  check(ort->CreateSessionOptions(&options));
  check(ort->SetIntraOpNumThreads(options, 1));
  check(ort->CreateSession(env, argv[1], options, &session));
  check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(ort->SessionGetInputTypeInfo(session, 0, &info));
  int64_t n_features = width_of(info);
  check(ort->SessionGetOutputTypeInfo(session, 1, &info));
  int64_t n_classes = width_of(info), shape[] = {1, n_features};
  float *sample = calloc(n_features, sizeof *sample);

  for (int64_t i = 0; scanf("%f", &sample[i]) == 1;) {
    if (++i < n_features) continue;
    i = 0;
    OrtValue *X = NULL, *found[] = {NULL, NULL};
    float *probabilities;
    check(ort->CreateTensorWithDataAsOrtValue(memory, sample, n_features * sizeof *sample, shape, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &X));
    check(ort->Run(session, NULL, inputs, (const OrtValue *const *)&X, 1, outputs, 2, found));
    print_label(found[0]);
    check(ort->GetTensorMutableData(found[1], (void **)&probabilities));
    for (int64_t j = 0; j < n_classes; j++) printf(" %.6f", probabilities[j]);
    printf("\n");
    ort->ReleaseValue(found[0]);
    ort->ReleaseValue(found[1]);
    ort->ReleaseValue(X);
  }
  free(sample);
  ort->ReleaseMemoryInfo(memory);
  ort->ReleaseSession(session);
  ort->ReleaseSessionOptions(options);
  ort->ReleaseEnv(env);
  return 0;
}
