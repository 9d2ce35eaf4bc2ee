# Conch. `make run` tries it, `make test` proves it; `make help` lists the rest.

GO          ?= go
# More words for `make run`, such as ARGS=--practice.
ARGS        ?=
GOFUMPT     = $(GO) run mvdan.cc/gofumpt@v0.12.0
LINT        = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# What a test may not be skipped for: a screen and a browser. CI asks for axe too.
CONCH_REQUIRE ?= x11,browser

.DEFAULT_GOAL := help
.PHONY: deps run test check bench app help

deps: ## Bring the Debian packages that run and test need
	@.ci/deps test

run: ## Start Conch; without a display it brings a practice desktop
	@.ci/deps run || [ -n "$$DISPLAY" ]
	@$(GO) build -o bin/conch ./app
	@exec bin/conch $(ARGS)

test: deps ## Run every test, on a real X server, with the race detector
	CONCH_REQUIRE=$(CONCH_REQUIRE) $(GO) test -race -shuffle=on -timeout 20m ./...

check: ## Format, vet, linters, house rules, and the Mac's types
	@out=$$($(GOFUMPT) -l app driver gateway mcp overlay) || exit 1; \
	  [ -z "$$out" ] || { echo "These files want gofumpt -w:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(LINT) run ./...
	$(GO) test -count=1 ./app/internal/archtest
	$(GO) run ./app/internal/maccheck ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./...
	GOOS=darwin GOARCH=amd64 CGO_ENABLED=0 $(GO) build -o /dev/null ./...

bench: deps ## Measure pictures, typing, Stop and idling against others
	$(GO) run ./app/bench

app: ## Build bin/conch (the Mac's signed bundle isn't built yet)
	$(GO) build -trimpath -o bin/conch ./app

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-6s %s\n", $$1, $$2}' Makefile
