// The reference: an extender in Go that decodes each request with encoding/json and decides nothing.
// The pod goes into maps, as its types would be a dependency; that is about as much work as filling them.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"
)

type extenderArgs struct {
	Pod       map[string]any
	Nodes     json.RawMessage
	NodeNames *[]string
}

type filterResult struct {
	Nodes                      json.RawMessage
	NodeNames                  *[]string
	FailedNodes                map[string]string
	FailedAndUnresolvableNodes map[string]string
	Error                      string
}

type hostPriority struct {
	Host  string
	Score int64
}

type metaPod struct{ UID string }

type metaVictims struct {
	Pods             []*metaPod
	NumPDBViolations int64
}

type preemption struct {
	NodeNameToMetaVictims map[string]*metaVictims
}

func filter(args *extenderArgs) any {
	return filterResult{NodeNames: args.NodeNames}
}

func prioritize(args *extenderArgs) any {
	scores := []hostPriority{}
	if args.NodeNames != nil {
		for _, name := range *args.NodeNames {
			scores = append(scores, hostPriority{Host: name})
		}
	}
	return scores
}

func preempt(args *preemption) any {
	return args
}

// serve tells in a header how long it took from the whole request read to its answer, as the extender's histogram does.
func serve[T any](answer func(*T) any) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		start := time.Now()
		var args T
		if err := json.Unmarshal(body, &args); err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		reply, err := json.Marshal(answer(&args))
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		writer.Header().Set("X-Seconds", fmt.Sprintf("%.9f", time.Since(start).Seconds()))
		writer.Header().Set("Content-Type", "application/json")
		if _, err := writer.Write(reply); err != nil {
			log.Print(err)
		}
	}
}

func main() {
	port := flag.Int("port", 0, "loopback port")
	flag.Parse()
	http.HandleFunc("POST /v1/filter", serve(filter))
	http.HandleFunc("POST /v1/prioritize", serve(prioritize))
	http.HandleFunc("POST /v1/preempt", serve(preempt))
	http.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), nil))
}
