package main

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/quic-go/quic-go"
)

// The wait for a first stream; mochi waits for CONNECT by itself.
const firstStream = 10 * time.Second

// MQTT over QUIC for mochi, which has none: a connection's first stream is its session, and early data is taken.
type quicListener struct {
	address  string
	config   *tls.Config
	listener *quic.EarlyListener
	once     sync.Once
}

func (l *quicListener) ID() string       { return name }
func (l *quicListener) Address() string  { return l.address }
func (l *quicListener) Protocol() string { return "quic" }

func (l *quicListener) Init(*slog.Logger) error {
	l.config.NextProtos = []string{"mqtt"}
	// Silence is the business of MQTT's keep alive.
	settings := &quic.Config{Allow0RTT: true, MaxIdleTimeout: 24 * time.Hour}
	var err error
	l.listener, err = quic.ListenAddrEarly(l.address, l.config, settings)
	return err
}

func (l *quicListener) Serve(establish listeners.EstablishFn) {
	for {
		connection, err := l.listener.Accept(context.Background())
		if err != nil {
			return
		}
		go l.serve(connection, establish)
	}
}

func (l *quicListener) serve(connection *quic.Conn, establish listeners.EstablishFn) {
	waiting, cancel := context.WithTimeout(connection.Context(), firstStream)
	defer cancel()
	stream, err := connection.AcceptStream(waiting)
	if err != nil {
		_ = connection.CloseWithError(0, "no stream")
		return
	}
	// It tells of every client that goes without DISCONNECT, which is no fault of a broker.
	_ = establish(name, &session{stream, connection})
}

func (l *quicListener) Close(closeClients listeners.CloseFn) {
	l.once.Do(func() { closeClients(name) })
	_ = l.listener.Close()
}

// A stream that ends with its connection, which makes both a net.Conn.
type session struct {
	*quic.Stream
	connection *quic.Conn
}

func (s *session) LocalAddr() net.Addr  { return s.connection.LocalAddr() }
func (s *session) RemoteAddr() net.Addr { return s.connection.RemoteAddr() }

func (s *session) Close() error {
	_ = s.Stream.Close()
	return s.connection.CloseWithError(0, "")
}
