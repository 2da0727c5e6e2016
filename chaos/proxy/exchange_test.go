package proxy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestDecodeMetadata(t *testing.T) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "u"}, Spec: corev1.PodSpec{NodeName: "n"}}
	raw, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		mediaType, body string
		want            string
	}{
		{runtime.ContentTypeProtobuf, string(protobufMagic) + string(envelope), "a/u"},
		{runtime.ContentTypeJSON, `{"metadata":{"name":"a","uid":"u"},"spec":{}}`, "a/u"},
		{runtime.ContentTypeProtobuf, "not protobuf", "/"},
		{runtime.ContentTypeJSON, "not JSON", "/"},
		{runtime.ContentTypeCBOR, "", "/"},
	}
	for _, test := range tests {
		got := decodeMetadata(test.mediaType, []byte(test.body))
		if text := got.Name + "/" + string(got.UID); text != test.want {
			t.Errorf("%s %q: %s, want %s", test.mediaType, test.body, text, test.want)
		}
	}
}

func FuzzDecodeMetadata(f *testing.F) {
	f.Add(runtime.ContentTypeProtobuf, []byte("k8s\x00\x0a\x00\x12\x04\x0a\x02\x0a\x00"))
	f.Add(runtime.ContentTypeJSON, []byte(`{"metadata":{"name":"a"}}`))
	f.Fuzz(func(_ *testing.T, mediaType string, body []byte) { decodeMetadata(mediaType, body) })
}
