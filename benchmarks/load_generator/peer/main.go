// A generator of MQTT load as one writes it in Go, with the client library of Eclipse Paho: the same clients, messages and
// pace as `floor.c`, and the same figures.
//
// peer PORT CLIENTS EVERY_US SECONDS QOS
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

const (
	payload = 64
	atATime = 64
)

func cpu() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)*1e-6 }
	return seconds(used.Utime) + seconds(used.Stime)
}

func peakKiB() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Maxrss
}

func connect(port string, name string) mqtt.Client {
	options := mqtt.NewClientOptions().AddBroker("tcp://127.0.0.1:" + port).SetClientID(name)
	options.SetCleanSession(true).SetKeepAlive(60 * time.Second).SetOrderMatters(false)
	client := mqtt.NewClient(options)
	if token := client.Connect(); token.Wait() && token.Error() != nil {
		panic(token.Error())
	}
	return client
}

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "peer PORT CLIENTS EVERY_US SECONDS QOS")
		os.Exit(2)
	}
	port := os.Args[1]
	number, _ := strconv.Atoi(os.Args[2])
	everyUs, _ := strconv.ParseFloat(os.Args[3], 64)
	span, _ := strconv.ParseFloat(os.Args[4], 64)
	level, _ := strconv.Atoi(os.Args[5])
	qos := byte(level)

	var received, sent atomic.Int64
	idle := peakKiB()
	before := cpu()
	subscriber := connect(port, "subscriber")
	subscriber.Subscribe("b/#", qos, func(mqtt.Client, mqtt.Message) { received.Add(1) }).Wait()
	clients := make([]mqtt.Client, number)
	gate := make(chan struct{}, atATime)
	var ready sync.WaitGroup
	for i := range clients {
		gate <- struct{}{}
		ready.Add(1)
		go func() {
			clients[i] = connect(port, fmt.Sprintf("f%09d", i))
			<-gate
			ready.Done()
		}()
	}
	ready.Wait()
	connected := cpu()
	memory := float64(peakKiB()-idle) / float64(number)

	step := time.Duration(everyUs * 1e3 / float64(number))
	due := int(span * 1e9 / float64(step))
	text := make([]byte, payload)
	for i := range text {
		text[i] = 'x'
	}
	begin := time.Now()
	for next := 0; next < due; {
		now := time.Since(begin)
		for ; next < due && time.Duration(next)*step <= now; next++ {
			client := next % number
			clients[client].Publish(fmt.Sprintf("b/%06d", client), qos, false, text)
			sent.Add(1)
		}
		if wait := time.Duration(next)*step - time.Since(begin); wait > 0 {
			time.Sleep(wait)
		}
	}
	for end := time.Now().Add(2 * time.Second); received.Load() < sent.Load() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	used := cpu()
	for _, client := range append(clients, subscriber) {
		client.Disconnect(0)
	}
	gone := cpu()
	fmt.Printf("{\"us_a_connection\": %.2f, \"us_a_message\": %.3f, \"kib_a_client\": %.2f, \"sent\": %d, \"received\": %d}\n",
		(connected-before+gone-used)*1e6/float64(number), (used-connected)*1e6/float64(sent.Load()), memory, sent.Load(), received.Load())
}
