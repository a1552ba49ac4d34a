// A server of HTTP/3 by quic-go, which Caddy's stands on: what is posted to /device/N comes back.
//
// "ADDRESS CERTIFICATE KEY" serves until it is ended, and prints each request.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("ADDRESS CERTIFICATE KEY")
	}
	certificate, err := tls.LoadX509KeyPair(os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	server := http3.Server{
		Addr:       os.Args[1],
		Handler:    http.HandlerFunc(answer),
		TLSConfig:  http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}}),
		QUICConfig: &quic.Config{Allow0RTT: true},
	}
	log.Fatal(server.ListenAndServe())
}

func answer(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	fmt.Println(request.Proto, request.Method, request.URL.Path, len(body), err)
	if !strings.HasPrefix(request.URL.Path, "/device/") {
		writer.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = writer.Write(body)
}
