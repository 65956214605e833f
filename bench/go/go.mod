module bayplan.dev/bench

go 1.26
