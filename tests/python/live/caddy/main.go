// Caddy, as a server of HTTP 1.1, 2 and 3, and as what stands before another server of HTTP/3.
//
// "echo ADDRESS CERTIFICATE KEY" answers what is posted to /device/N with what it says; "before ADDRESS UPSTREAM ROOT NAME" hands
// what comes without TLS to an upstream by HTTP/3, whose certificate leads to the root and has the name.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/standard"
	_ "github.com/caddyserver/caddy/v2/modules/caddytls"
	_ "github.com/caddyserver/caddy/v2/modules/logging"
)

const global = `{
	admin off
	auto_https off
	persist_config off
}
`

const echo = `https://:{port} {
	bind {host}
	tls {certificate} {key}
	log {
		output stdout
		format json
	}
	handle /device/* {
		respond "{http.request.body}"
	}
	respond 404
}
`

const before = `http://:{port} {
	bind {host}
	reverse_proxy https://{upstream} {
		transport http {
			versions 3
			tls_trust_pool file {root}
			tls_server_name {name}
		}
	}
}
`

func main() {
	log.SetFlags(0)
	said := strings.Join(os.Args, " ")
	switch {
	case len(os.Args) == 5 && os.Args[1] == "echo":
		run(echo, "{certificate}", os.Args[3], "{key}", os.Args[4])
	case len(os.Args) == 6 && os.Args[1] == "before":
		run(before, "{upstream}", os.Args[3], "{root}", os.Args[4], "{name}", os.Args[5])
	default:
		log.Fatal(said + ": echo ADDRESS CERTIFICATE KEY, or before ADDRESS UPSTREAM ROOT NAME")
	}
}

func run(site string, words ...string) {
	place := strings.LastIndex(os.Args[2], ":")
	words = append(words, "{host}", os.Args[2][:place], "{port}", os.Args[2][place+1:])
	text := global + strings.NewReplacer(words...).Replace(site)
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	if err != nil {
		log.Fatal(err, warnings)
	}
	if err := caddy.Load(adapted, true); err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready")
	select {}
}
