// MQTT 3.1.1 over QUIC by quic-go, as a client or as a server, to be held against lasthop's.
//
// "client ADDRESS CA-FILE COUNT" publishes once in each of COUNT connections, one behind the other, the later
// ones by early data, and prints how each came about; with "again" behind it once more in each, when a line comes in. "server CERTIFICATE KEY [retry]" prints its address and
// then how each connection came about, until its input ends. Who subscribes there is told something for each line that comes in,
// and what he acknowledges is printed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"

	"github.com/quic-go/quic-go"
)

const protocol = "mqtt"

var (
	connect  = append([]byte{0x10, 14, 0, 4}, "MQTT\x04\x02\x00\x3c\x00\x02go"...)
	connack  = []byte{0x20, 2, 0, 0}
	publish  = append([]byte{0x32, 12, 0, 4}, "door\x00\x01open"...)
	puback   = []byte{0x40, 2, 0, 1}
	suback   = []byte{0x90, 3, 0, 0, 1}
	goodbye  = []byte{0xe0, 0}
	settings = &quic.Config{Allow0RTT: true}
	input    = bufio.NewReader(os.Stdin)
)

func main() {
	log.SetFlags(0)
	var err error
	switch arguments := os.Args[1:]; {
	case len(arguments) == 4 && arguments[0] == "client":
		err = client(arguments[1], arguments[2], arguments[3], false)
	case len(arguments) == 5 && arguments[0] == "client" && arguments[4] == "again":
		err = client(arguments[1], arguments[2], arguments[3], true)
	case len(arguments) >= 3 && arguments[0] == "server":
		err = server(arguments[1], arguments[2], len(arguments) == 4)
	default:
		err = fmt.Errorf("client ADDRESS CA-FILE COUNT [again] | server CERTIFICATE KEY [retry]")
	}
	if err != nil {
		log.Fatal(err)
	}
}

func client(address, authority, count string, again bool) error {
	pem, err := os.ReadFile(authority)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	tickets := &announced{tls.NewLRUClientSessionCache(1), make(chan struct{}, 100)}
	config := &tls.Config{
		RootCAs:            roots,
		NextProtos:         []string{protocol},
		ClientSessionCache: tickets,
	}
	connections, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for range connections {
		if err := say(address, config, tickets.come, again); err != nil {
			return err
		}
	}
	return nil
}

// Tickets, each of which is announced when it comes.
type announced struct {
	tls.ClientSessionCache
	come chan struct{}
}

func (cache *announced) Put(key string, session *tls.ClientSessionState) {
	cache.ClientSessionCache.Put(key, session)
	if session != nil {
		cache.come <- struct{}{}
	}
}

func say(address string, config *tls.Config, ticket <-chan struct{}, again bool) error {
	for len(ticket) > 0 {
		<-ticket
	}
	connection, err := quic.DialAddrEarly(context.Background(), address, config, settings)
	if err != nil {
		return err
	}
	stream, err := connection.OpenStream()
	if err != nil {
		return err
	}
	if _, err = stream.Write(append(append([]byte{}, connect...), publish...)); err != nil {
		return err
	}
	answer := make([]byte, len(connack)+len(puback))
	if _, err = io.ReadFull(stream, answer); err != nil {
		return err
	}
	if !bytes.Equal(answer, append(append([]byte{}, connack...), puback...)) {
		return fmt.Errorf("the server says %x", answer)
	}
	<-connection.HandshakeComplete()
	// Where a ticket is good once, the next connection needs another one.
	<-ticket
	tell(connection)
	if again {
		if _, err = input.ReadString('\n'); err != nil {
			return err
		}
		if _, err = stream.Write(publish); err != nil {
			return err
		}
		answer = answer[:len(puback)]
		if _, err = io.ReadFull(stream, answer); err != nil {
			return err
		}
		if !bytes.Equal(answer, puback) {
			return fmt.Errorf("the server says %x", answer)
		}
		fmt.Println("again")
	}
	if _, err = stream.Write(goodbye); err != nil {
		return err
	}
	return connection.CloseWithError(0, "")
}

func tell(connection *quic.Conn) {
	state := connection.ConnectionState()
	fmt.Printf("resumed=%v early=%v\n", state.TLS.DidResume, state.Used0RTT)
}

func server(certificate, key string, retries bool) error {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	transport := &quic.Transport{
		Conn:                socket,
		VerifySourceAddress: func(net.Addr) bool { return retries },
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{protocol}}
	listener, err := transport.ListenEarly(config, settings)
	if err != nil {
		return err
	}
	fmt.Println(socket.LocalAddr())
	lines := make(chan struct{})
	go func() {
		for {
			if _, err := input.ReadString('\n'); err != nil {
				os.Exit(0)
			}
			lines <- struct{}{}
		}
	}()
	for {
		connection, err := listener.Accept(context.Background())
		if err != nil {
			return err
		}
		go func() {
			if err := serve(connection, lines); err != nil {
				log.Print(err)
			}
		}()
	}
}

func serve(connection *quic.Conn, lines <-chan struct{}) error {
	stream, err := connection.AcceptStream(context.Background())
	if err != nil {
		return err
	}
	reader := bufio.NewReader(stream)
	for {
		kind, err := reader.ReadByte()
		if err != nil {
			return err
		}
		length, err := reader.ReadByte()
		if err != nil {
			return err
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(reader, body); err != nil {
			return err
		}
		switch kind >> 4 {
		case 1:
			_, err = stream.Write(connack)
		case 3:
			topic := 2 + int(body[0])<<8 + int(body[1])
			_, err = stream.Write([]byte{puback[0], 2, body[topic], body[topic+1]})
		case 4:
			fmt.Println("acknowledged")
		case 8:
			if _, err = stream.Write([]byte{suback[0], suback[1], body[0], body[1], suback[4]}); err != nil {
				return err
			}
			go func() {
				for range lines {
					_, _ = stream.Write(publish)
				}
			}()
		case 14:
			<-connection.HandshakeComplete()
			tell(connection)
			return stream.Close()
		}
		if err != nil {
			return err
		}
	}
}
