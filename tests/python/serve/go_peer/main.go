// CoAP over pion's DTLS and MQTT over the TLS of Go, as clients or as servers, to be held against lasthop's.
//
// "dtls-client ADDRESS CREDENTIALS COUNT" asks COUNT times for /ps/door and prints each body. "dtls-server CREDENTIALS"
// prints its address, and answers each request until its input ends. CREDENTIALS are "psk:IDENTITY:KEY" or
// "certificate:CA-FILE:CERTIFICATE:KEY". "tls-client ADDRESS CA-FILE" and "tls-server CERTIFICATE KEY" say one packet of
// MQTT each, with X25519MLKEM768 alone, and print the group.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/pion/dtls/v3"
)

func main() {
	log.SetFlags(0)
	var err error
	switch arguments := os.Args[1:]; {
	case len(arguments) == 4 && arguments[0] == "dtls-client":
		err = dtlsClient(arguments[1], arguments[2], arguments[3])
	case len(arguments) == 2 && arguments[0] == "dtls-server":
		err = dtlsServer(arguments[1])
	case len(arguments) == 3 && arguments[0] == "tls-client":
		err = tlsClient(arguments[1], arguments[2])
	case len(arguments) == 3 && arguments[0] == "tls-server":
		err = tlsServer(arguments[1], arguments[2])
	default:
		err = fmt.Errorf("what it says is at the top of its source")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// How an end of DTLS shows who it is.
func settings(credentials string) (*dtls.Config, error) {
	switch words := strings.Split(credentials, ":"); {
	case len(words) == 3 && words[0] == "psk":
		key, err := hex.DecodeString(words[2])
		if err != nil {
			return nil, err
		}
		return &dtls.Config{
			PSK:             func([]byte) ([]byte, error) { return key, nil },
			PSKIdentityHint: []byte(words[1]),
			CipherSuites:    []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_CCM_8},
		}, nil
	case len(words) == 4 && words[0] == "certificate":
		roots, err := rootsOf(words[1])
		if err != nil {
			return nil, err
		}
		pair, err := tls.LoadX509KeyPair(words[2], words[3])
		return &dtls.Config{
			Certificates: []tls.Certificate{pair},
			RootCAs:      roots,
			ClientCAs:    roots,
			ClientAuth:   dtls.RequireAndVerifyClientCert,
			CipherSuites: []dtls.CipherSuiteID{dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8},
		}, err
	default:
		return nil, fmt.Errorf("no credentials: %s", credentials)
	}
}

func rootsOf(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return roots, err
}

// CoAP (RFC 7252 section 3): a confirmable GET of /ps/door, with a token of one byte.
var request = append([]byte{0x41, 0x01, 0, 0, 0x77, 0xb2}, "ps\x04door"...)

func dtlsClient(address, credentials, count string) error {
	config, err := settings(credentials)
	if err != nil {
		return err
	}
	config.ConnectionIDGenerator = dtls.OnlySendCIDGenerator()
	server, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return err
	}
	config.ServerName = server.IP.String()
	connection, err := dtls.Dial("udp", server, config)
	if err != nil {
		return err
	}
	requests, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	room := make([]byte, 1500)
	for number := range requests {
		request[3] = byte(number)
		if _, err := connection.Write(request); err != nil {
			return err
		}
		length, err := connection.Read(room)
		if err != nil {
			return err
		}
		_, body, found := strings.Cut(string(room[:length]), "\xff")
		if !found || room[1] != 0x45 || room[3] != byte(number) {
			return fmt.Errorf("the server says %x", room[:length])
		}
		fmt.Println(body)
	}
	return connection.Close()
}

func dtlsServer(credentials string) error {
	config, err := settings(credentials)
	if err != nil {
		return err
	}
	config.ConnectionIDGenerator = dtls.RandomCIDGenerator(8)
	listener, err := dtls.Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, config)
	if err != nil {
		return err
	}
	untilInputEnds()
	fmt.Println(listener.Addr())
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			if err := answer(connection); err != nil && err != io.EOF {
				log.Print(err)
			}
		}()
	}
}

// Answers what is confirmable with 2.05 and its own path.
func answer(connection net.Conn) error {
	room := make([]byte, 1500)
	for {
		length, err := connection.Read(room)
		if err != nil {
			return err
		}
		token := 4 + int(room[0]&15)
		if length <= token || room[0]>>4 != 4 {
			continue
		}
		said := append([]byte{0x60 | room[0]&15, 0x45, room[2], room[3]}, room[4:token]...)
		said = append(append(said, 0xff), room[token+1:length]...)
		if _, err := connection.Write(said); err != nil {
			return err
		}
	}
}

var (
	connect = append([]byte{0x10, 14, 0, 4}, "MQTT\x04\x02\x00\x3c\x00\x02go"...)
	connack = []byte{0x20, 2, 0, 0}
	hybrid  = []tls.CurveID{tls.X25519MLKEM768}
)

func tlsClient(address, authority string) error {
	roots, err := rootsOf(authority)
	if err != nil {
		return err
	}
	connection, err := tls.Dial("tcp", address, &tls.Config{RootCAs: roots, CurvePreferences: hybrid})
	if err != nil {
		return err
	}
	if _, err := connection.Write(connect); err != nil {
		return err
	}
	said := make([]byte, len(connack))
	if _, err := io.ReadFull(connection, said); err != nil {
		return err
	}
	fmt.Printf("%x by %v\n", said, connection.ConnectionState().CurveID)
	return connection.Close()
}

func tlsServer(certificate, key string) error {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, CurvePreferences: hybrid}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		return err
	}
	untilInputEnds()
	fmt.Println(listener.Addr())
	connection, err := listener.Accept()
	if err != nil {
		return err
	}
	defer connection.Close()
	// Whatever the first packet is, it is welcome.
	if _, err := connection.Read(make([]byte, 1500)); err != nil {
		return err
	}
	if _, err := connection.Write(connack); err != nil {
		return err
	}
	said, err := io.ReadAll(connection)
	fmt.Printf("%q by %v\n", said, connection.(*tls.Conn).ConnectionState().CurveID)
	return err
}

func untilInputEnds() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}
