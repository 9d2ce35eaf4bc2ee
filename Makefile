# Conch. `make run` tries it, `make test` proves it; `make help` lists the rest.

GO          ?= go
# More words for `make run`, such as ARGS=--practice.
ARGS        ?=
GOFUMPT     = $(GO) run mvdan.cc/gofumpt@v0.12.0
LINT        = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# What a test may not be skipped for: a screen and a browser. CI asks for axe too.
CONCH_REQUIRE ?= x11,browser

.DEFAULT_GOAL := help
# The Mac's bundle: the certificate that signs it, an SDK to build with elsewhere, where it is installed.
IDENTITY    ?=
MACOS_SDK   ?=
APPS        ?= /Applications
# What notarytool signs in with: xcrun notarytool store-credentials makes it.
PROFILE     ?= conch
HOST        := $(shell uname -s)

.PHONY: deps run test check check-mac conformance clients programs bench app install-app dmg notarize help

deps: ## Bring the Debian packages that run and test need
	@.ci/deps test

run: ## Start Conch; without a display it brings a practice desktop
	@.ci/deps run || [ -n "$$DISPLAY" ]
	@$(GO) build -o bin/conch-launcher ./app/launcher
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
	@$(MAKE) --no-print-directory check-mac

check-mac: ## The Mac's code on any machine: types for both processors, the C side, house rules, names
	$(GO) run ./app/internal/maccheck ./...
	$(GO) test -count=1 -run 'Plist|Entitlement|Bundle|MainMenu|Checklist' ./app

conformance: deps ## Judge the MCP door by the official suite, which npm brings; says what isn't as expected
	$(GO) run ./app/internal/conform -run suite

clients: deps ## Have the clients that apps are made with use the launcher; npm brings them
	$(GO) run ./app/internal/conform -run clients

programs: deps ## Have the real Claude Code, Codex and Gemini CLI use Conch, on no account; npm brings them
	CONCH_REQUIRE=$(CONCH_REQUIRE) $(GO) run ./app/internal/conform -run programs

bench: deps ## Measure pictures, typing, Stop and idling against others
	$(GO) run ./app/bench

app: ## On a Mac, or with MACOS_SDK=: build bin/Conch.app (IDENTITY= signs it). Elsewhere bin/conch
ifneq ($(HOST)$(MACOS_SDK),Linux)
	@GO="$(GO)" IDENTITY="$(IDENTITY)" MACOS_SDK="$(MACOS_SDK)" .ci/mac-app
else
	$(GO) build -trimpath -o bin/conch-launcher ./app/launcher
	$(GO) build -trimpath -o bin/conch ./app
	@echo "This is bin/conch, for Linux. Conch.app needs a Mac, or MACOS_SDK= with the folder of a macOS SDK, clang and lld."
endif

install-app: app ## On a Mac: put Conch.app into Applications and open it
	@[ "$(HOST)" = Darwin ] || { echo "Conch.app is installed on a Mac."; exit 1; }
	@! pgrep -xq conch || { echo "Conch is running. Quit it from the menu bar first, then try again."; exit 1; }
	rm -rf "$(APPS)/Conch.app"
	ditto bin/Conch.app "$(APPS)/Conch.app"
	open "$(APPS)/Conch.app"

dmg: app ## On a Mac: bin/Conch.dmg, to give to others
	@[ "$(HOST)" = Darwin ] || { echo "A disk image is made on a Mac."; exit 1; }
	rm -rf bin/dmg bin/Conch.dmg
	mkdir -p bin/dmg
	ditto bin/Conch.app bin/dmg/Conch.app
	ln -s /Applications bin/dmg/Applications
	hdiutil create -volname Conch -srcfolder bin/dmg -format UDZO bin/Conch.dmg

notarize: ## On a Mac, with IDENTITY="Developer ID Application: …": have Apple check bin/Conch.dmg
	@[ "$(HOST)" = Darwin ] || { echo "Apple's tools for this are on a Mac."; exit 1; }
	@case "$(IDENTITY)" in "Developer ID Application"*) ;; *) \
	  echo "Apple notarizes only what a Developer ID signed: make notarize IDENTITY=\"Developer ID Application: …\""; exit 1;; esac
	@$(MAKE) --no-print-directory dmg IDENTITY="$(IDENTITY)"
	codesign --sign "$(IDENTITY)" --timestamp bin/Conch.dmg
	xcrun notarytool submit bin/Conch.dmg --keychain-profile "$(PROFILE)" --wait
	xcrun stapler staple bin/Conch.dmg
	spctl --assess --type open --context context:primary-signature --verbose=2 bin/Conch.dmg

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile
