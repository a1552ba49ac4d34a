// Uses the Go client of Toxiproxy: prints what a test asks of it.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
)

type report struct {
	Before   float64 `json:"before"`
	Slow     float64 `json:"slow"`
	After    float64 `json:"after"`
	Refused  bool    `json:"refused"`
	Toxics   int     `json:"toxics"`
	Unknown  string  `json:"unknown"`
	Proxies  int     `json:"proxies"`
	Finished int     `json:"finished"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func roundTrip(address string) float64 {
	begin := time.Now()
	connection, err := net.Dial("tcp", address)
	check(err)
	defer connection.Close()
	_, err = connection.Write([]byte("x"))
	check(err)
	_, err = connection.Read(make([]byte, 1))
	check(err)
	return time.Since(begin).Seconds()
}

func main() {
	client := toxiproxy.NewClient(os.Args[1])
	proxy, err := client.CreateProxy("echo", "127.0.0.1:0", os.Args[2])
	check(err)
	told := report{Before: roundTrip(proxy.Listen)}
	_, err = proxy.AddToxic("slow", "latency", "downstream", 1, toxiproxy.Attributes{"latency": 100})
	check(err)
	_, err = proxy.UpdateToxic("slow", 1, toxiproxy.Attributes{"latency": 300})
	check(err)
	told.Slow = roundTrip(proxy.Listen)
	toxics, err := proxy.Toxics()
	check(err)
	told.Toxics = len(toxics)
	check(proxy.RemoveToxic("slow"))
	told.After = roundTrip(proxy.Listen)
	check(proxy.Disable())
	_, err = net.Dial("tcp", proxy.Listen)
	told.Refused = err != nil
	check(proxy.Enable())
	roundTrip(proxy.Listen)
	_, err = proxy.AddToxic("", "slicer", "", 1, nil)
	if err != nil {
		told.Unknown = err.Error()
	}
	proxies, err := client.Proxies()
	check(err)
	told.Proxies = len(proxies)
	check(client.ResetState())
	check(proxy.Delete())
	proxies, err = client.Proxies()
	check(err)
	told.Finished = len(proxies)
	check(json.NewEncoder(os.Stdout).Encode(told))
}
