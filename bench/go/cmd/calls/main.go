// A caller as kube-scheduler is one: Go's own client with keep-alive and gzip, one call after the other, at a bounded rate.
//
// Each round takes the next body and sends it with every verb to every target, the targets in changing order, so that
// what disturbs one disturbs the other. One JSON line a call goes to standard output; it judges nothing.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

type call struct {
	Target  string  `json:"target"`
	Verb    string  `json:"verb"`
	Seconds float64 `json:"seconds"`
	Server  string  `json:"server"` // what the target says of its own time, if it does
}

type target struct{ name, url string }

func main() {
	file := flag.String("bodies", "", "file with one JSON body a line")
	verbs := flag.String("verbs", "filter,prioritize", "verbs in the order of a round")
	rate := flag.Float64("rate", 20, "rounds per second, at most")
	rounds := flag.Int("rounds", 100, "number of rounds")
	flag.Parse()
	bodies, targets := read(*file), parse(flag.Args())
	client := &http.Client{Timeout: 30 * time.Second}
	out := json.NewEncoder(os.Stdout)
	start := time.Now()
	for round := range *rounds {
		time.Sleep(time.Until(start.Add(time.Duration(float64(round) / *rate * float64(time.Second)))))
		for turn := range targets {
			to := targets[(round+turn)%len(targets)]
			for _, verb := range strings.Split(*verbs, ",") {
				if err := out.Encode(send(client, to, verb, bodies[round%len(bodies)])); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
}

func send(client *http.Client, to target, verb string, body []byte) call {
	start := time.Now()
	answer, err := client.Post(to.url+"/"+verb, "application/json", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	took := time.Since(start)
	if err != nil || answer.StatusCode != http.StatusOK || !json.Valid(got) {
		log.Fatalf("%s of %s answered %s, error %v: %.200q", verb, to.name, answer.Status, err, got)
	}
	return call{Target: to.name, Verb: verb, Seconds: took.Seconds(), Server: answer.Header.Get("X-Seconds")}
}

func read(file string) [][]byte {
	opened, err := os.Open(file)
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	lines := bufio.NewScanner(opened)
	lines.Buffer(nil, 1<<26)
	var bodies [][]byte
	for lines.Scan() {
		bodies = append(bodies, bytes.Clone(lines.Bytes()))
	}
	if err := lines.Err(); err != nil || len(bodies) == 0 {
		log.Fatalf("no bodies in %s: %v", file, err)
	}
	return bodies
}

func parse(given []string) []target {
	var targets []target
	for _, one := range given {
		name, url, found := strings.Cut(one, "=")
		if !found {
			log.Fatalf("%q is no target; allowed is name=url", one)
		}
		targets = append(targets, target{name, url})
	}
	return targets
}
