// The broker mochi, which lets in everybody: over TCP, over Go's TLS, over quic-go.
//
// "tcp|tls|quic ADDRESS [CERTIFICATE KEY [CLIENT-ROOTS]]" serves until it is ended; "version" says of what it is made.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

const name = "clients"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 1 && arguments[0] == "version" {
		fmt.Println("mochi", mqtt.Version, "quic-go", versionOf("github.com/quic-go/quic-go"))
		return nil
	}
	if len(arguments) < 2 {
		return fmt.Errorf("tcp|tls|quic ADDRESS [CERTIFICATE KEY [CLIENT-ROOTS]] | version")
	}
	listener, err := listening(arguments[0], arguments[1], arguments[2:])
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	server := mqtt.New(&mqtt.Options{Logger: log})
	if err := server.AddHook(new(auth.AllowHook), nil); err != nil {
		return err
	}
	if err := server.AddListener(listener); err != nil {
		return err
	}
	if err := server.Serve(); err != nil {
		return err
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
	return server.Close()
}

func listening(transport, address string, files []string) (listeners.Listener, error) {
	config := listeners.Config{ID: name, Address: address}
	if transport == "tcp" {
		return listeners.NewTCP(config), nil
	}
	secured, err := shown(files)
	if err != nil {
		return nil, err
	}
	switch transport {
	case "tls":
		config.TLSConfig = secured
		return listeners.NewTCP(config), nil
	case "quic":
		return &quicListener{address: address, config: secured}, nil
	}
	return nil, fmt.Errorf("%s is none of tcp, tls, quic", transport)
}

func shown(files []string) (*tls.Config, error) {
	if len(files) < 2 {
		return nil, fmt.Errorf("a certificate and its key are missing")
	}
	certificate, err := tls.LoadX509KeyPair(files[0], files[1])
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	if len(files) > 2 {
		pem, err := os.ReadFile(files[2])
		if err != nil {
			return nil, err
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", files[2])
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

func versionOf(module string) string {
	information, _ := debug.ReadBuildInfo()
	for _, dependency := range information.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "unknown"
}
