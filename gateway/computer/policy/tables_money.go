package policy

var moneyRows = []row{
	// Accounts and payments.
	{"GnuCash", "org.gnucash.GnuCash", "gnucash", ""},
	{"KMyMoney", "org.kde.kmymoney", "kmymoney", ""},
	{"HomeBank", "fr.free.Homebank", "homebank", ""},
	{"Skrooge", "org.kde.skrooge", "skrooge", ""},
	{"Hibiscus", "de.willuhn.jameica*", "jameica hibiscus", "Jameica"},
	{"Moneydance", "com.infinitekind.*", "moneydance", ""},
	{"MoneyMoney", "com.moneymoney-app.*", "", ""},
	{"Quicken", "com.intuit.* com.quicken.*", "quicken", "QuickBooks|TurboTax"},
	{"Banktivity", "com.iggsoftware.* com.iggsoft.*", "", ""},
	{"StarMoney", "com.starfinanz.*", "starmoney", ""},
	{"Banking4", "com.subsembly.*", "banking4", ""},
	{"Outbank", "de.stoeger-it.* com.stoegerit.*", "outbank", ""},
	{"Finanzblick", "de.buhldata.*", "finanzblick", ""},
	{"Denaro", "org.nickvision.money", "denaro", "Nickvision Denaro|Nickvision Money"},
	{"YNAB", "com.youneedabudget.*", "ynab", ""},
	{"Firefly III", "", "firefly-iii", ""},
	{"Portfolio Performance", "name.abuchen.portfolio*", "portfolioperformance", ""},
	{"Wallet", "com.apple.Passbook com.apple.wallet* com.apple.stocks.trading", "", ""},
	{"PayPal", "com.paypal.* com.yourcompany.ppclient", "paypal", ""},
	{"Revolut", "com.revolut.*", "revolut", ""},
	{"Wise", "com.transferwise.*", "", "Wise"},
	{"N26", "de.number26.*", "n26", ""},
	{"Monzo", "co.uk.getmondo com.monzo.*", "monzo", ""},
	{"Cash App", "com.squareup.*", "", ""},
	{"Venmo", "net.kortina.labs.Venmo com.venmo.*", "venmo", ""},
	{"Alipay", "com.alipay.*", "alipay", ""},
	{"Stripe", "com.stripe.*", "", "Stripe|Stripe Dashboard"},
	{"Bank app", "com.chase com.chase.* com.bankofamerica.* com.wf.* com.citi.* com.capitalone.* com.infonow.* com.barclays.* com.hsbc.* com.lloydsbank.* com.starlingbank.* com.ing.* com.commerzbank.* com.db.pwcc.* de.sparkasse.* com.nubank.*", "", ""},
	// Trading.
	{"Trader Workstation", "com.interactivebrokers.* com.ib.*", "tws ibgateway ibkr-desktop jts-tws", "IBKR Desktop|IB Gateway|Trader Workstation"},
	{"MetaTrader", "net.metaquotes.*", "metatrader terminal64 metaeditor64 metatrader4 metatrader5", "MetaTrader 4|MetaTrader 5"},
	{"thinkorswim", "com.thinkorswim.* com.devexperts.*", "thinkorswim", ""},
	{"TradingView", "com.tradingview.*", "tradingview", ""},
	{"Robinhood", "com.robinhood.*", "robinhood", ""},
	{"eToro", "com.etoro.*", "etoro", ""},
	{"NinjaTrader", "com.ninjatrader.*", "ninjatrader", ""},
	{"Webull", "org.webull.* com.webull.*", "webull", ""},
	{"Trade Republic", "de.traderepublic.*", "", ""},
	// Crypto.
	{"Bitcoin Core", "org.bitcoinfoundation.* org.bitcoin.* org.bitcoincore.bitcoin-qt", "bitcoin-qt bitcoin-core", "Bitcoin-Qt"},
	{"Wallet of a coin", "", "*coin-qt dash-qt zcash-qt zcashd-qt dash-core pivx-qt qtum-qt ravencoin-qt bitcoin-knots bitcoinknots", "Litecoin Core|Dogecoin Core|Dash Core"},
	{"Electrum", "org.electrum.*", "electrum electrum-* electrum-ltc electron-cash", "Electron Cash"},
	{"Exodus", "io.exodus.* com.exodus.* exodus-movement.*", "exodus", ""},
	{"Ledger Live", "com.ledger.*", "ledger-live ledger-live-desktop ledgerlive ledger-wallet", "Ledger Wallet"},
	{"Trezor Suite", "io.trezor.*", "trezor-suite trezor", "@trezor/suite-desktop"},
	{"Monero", "org.getmonero.* org.featherwallet.*", "monero-wallet-gui monero-gui feather-wallet featherwallet", "Monero GUI|Feather Wallet"},
	{"Sparrow", "com.sparrowwallet.*", "sparrow sparrow-wallet sparrowwallet", "Sparrow Wallet"},
	{"Wasabi Wallet", "zksnacks.wasabiwallet* io.wasabiwallet.*", "wassabee wasabi-wallet wasabiwallet", ""},
	{"Specter", "", "specter specter-desktop", "Specter Desktop"},
	{"Atomic Wallet", "io.atomicwallet.*", "atomicwallet atomic-wallet", ""},
	{"Guarda", "com.guarda.*", "guarda", ""},
	{"Coinomi", "com.coinomi.*", "coinomi", ""},
	{"Jaxx", "com.liberty.jaxx io.jaxx.*", "jaxx", "Jaxx Liberty"},
	{"Daedalus", "iohk.daedalus* org.iohk.*", "daedalus daedalus-mainnet cardano-launcher", "Daedalus Mainnet"},
	{"Armory", "com.armory.*", "armoryqt armory", "Armory"},
	{"Bisq", "io.bisq.*", "bisq", ""},
	{"BlueWallet", "io.bluewallet.*", "bluewallet", ""},
	{"Blockstream", "com.blockstream.*", "blockstream-green blockstream-app green-wallet", "Blockstream Green"},
	{"MyCrypto", "com.mycrypto.*", "mycrypto mist ethereumwallet", "MyCrypto|Mist|Ethereum Wallet"},
	{"Nunchuk", "io.nunchuk.*", "nunchuk", ""},
	{"BitBox", "ch.shiftcrypto.*", "bitboxapp bitbox", "BitBoxApp"},
	{"Binance", "com.binance.*", "binance", ""},
	{"Coinbase", "com.coinbase.* org.toshi.*", "coinbase", ""},
	{"Kraken", "com.kraken.* com.cryptowatch.*", "kraken-desktop", "Kraken Desktop"},
	{"MetaMask", "io.metamask.*", "metamask", ""},
	{"Phantom", "app.phantom.*", "", ""},
	{"Zecwallet", "", "zecwallet zecwallet-lite ywallet zingo zingo-pc", ""},
	{"Cake Wallet", "com.cakewallet.*", "cakewallet cake_wallet", ""},
	{"Neon", "", "neon-wallet tronlink yoroi polkawallet nault natrium", ""},
}

// siteWords are said nowhere but on a page for money: each stands anywhere in a browser window's title.
var siteWords = []string{
	// What banks call it, in the languages of most of them.
	"online banking", "onlinebanking", "internet banking", "netbanking", "net banking", "e-banking", "ebanking", "home banking",
	"homebanking", "mobile banking", "telebanking", "business banking", "personal banking", "private banking", "digital banking",
	"web banking", "internetbanking", "banque en ligne", "banque à distance", "espace client banque", "banca en línea",
	"banca online", "banca por internet", "banca electrónica", "banca móvil", "internet-банк", "интернет-банк", "онлайн-банк",
	"мобильный банк", "bankowość internetowa", "bankowość elektroniczna", "internetbank", "nettbank", "netbank", "verkkopankki",
	"internetbankieren", "mijn ing", "internetové bankovnictví", "internet bankacılığı", "網上銀行", "网上银行", "网银", "インターネットバンキング",
	"オンラインバンキング", "인터넷뱅킹", "brokerage account", "depotübersicht", "kontoübersicht", "girokonto",
	// Banks whose name means nothing else.
	"bank of america", "wells fargo", "jpmorgan", "jp morgan", "citibank", "citigroup", "capital one", "us bank", "u.s. bank", "pnc bank", "truist",
	"td bank", "td canada trust", "easyweb", "ally bank", "american express", "amex", "usaa", "navy federal", "citizens bank",
	"fifth third", "keybank", "regions bank", "m&t bank", "huntington bank", "bmo", "scotiabank", "cibc", "rbc royal bank",
	"desjardins", "tangerine bank", "barclays", "barclaycard", "hsbc", "lloyds bank", "natwest", "santander", "monzo", "starling bank",
	"nationwide building society", "metro bank", "first direct", "sparkasse", "volksbank", "raiffeisen", "raiffeisenbank",
	"deutsche bank", "commerzbank", "postbank", "comdirect", "consorsbank", "hypovereinsbank", "targobank", "dkb", "ing-diba",
	"bnp paribas", "crédit agricole", "société générale", "boursobank", "boursorama", "la banque postale", "caisse d'epargne",
	"crédit mutuel", "bbva", "caixabank", "bankinter", "banco sabadell", "unicredit", "intesa sanpaolo", "fineco", "rabobank",
	"abn amro", "bunq", "belfius", "kbc bank", "postfinance", "credit suisse", "zürcher kantonalbank", "kantonalbank", "erste bank",
	"nordea", "swedbank", "handelsbanken", "danske bank", "jyske bank", "nykredit", "pko bp", "ipko", "mbank", "pekao", "česká spořitelna",
	"commbank", "netbank australia", "westpac", "anz internet", "nab internet", "kiwibank", "onlinesbi", "state bank of india", "hdfc bank", "icici bank",
	"axis bank", "kotak mahindra", "dbs bank", "ocbc", "uob", "icbc", "招商银行", "工商银行", "建设银行", "农业银行", "中国银行", "支付宝",
	"三菱ufj", "みずほ銀行", "三井住友銀行", "ゆうちょ", "国民银行", "сбербанк", "сбербанк онлайн", "т-банк", "тинькофф", "альфа-банк", "втб онлайн",
	"приватбанк", "monobank", "banco do brasil", "bradesco", "nubank", "itaú", "caixa econômica", "garanti bbva", "ziraat bankası", "akbank",
	"standard chartered", "goldman sachs", "charles schwab", "morgan stanley", "e*trade", "interactive brokers", "client portal ibkr", "robinhood",
	"trade republic", "scalable capital", "trading 212", "degiro", "etoro", "td ameritrade", "fidelity investments", "netbenefits",
	"vanguard group", "vanguard investor", "betterment", "wealthfront", "hargreaves lansdown",
	// Payments.
	"paypal", "venmo", "zelle", "cash app", "revolut", "transferwise", "klarna", "payoneer", "skrill", "neteller", "western union", "moneygram",
	"stripe dashboard", "apple pay", "google pay", "google wallet", "amazon pay", "alipay", "wechat pay", "paysafecard", "giropay", "interac e-transfer",
	// Crypto.
	"coinbase", "binance", "kraken pro", "kraken exchange", "bitstamp", "bitfinex", "kucoin", "bybit", "okx", "crypto.com", "gemini exchange",
	"metamask", "phantom wallet", "trust wallet", "myetherwallet", "blockchain.com", "uniswap", "ledger live", "trezor suite", "bitpanda",
}

// siteNames are words with another meaning too: a part of the title between separators must be just that.
var siteNames = []string{
	"chase", "chase bank", "chase.com", "chase online", "citi", "citi.com", "discover", "discover card", "discover.com", "ally", "ally.com", "ing", "ing.de",
	"n26", "wise", "wise.com", "halifax", "nationwide", "tsb", "starling", "first national", "fidelity", "fidelity.com", "vanguard", "schwab",
	"schwab.com", "merrill", "etrade", "dnb", "seb", "ubs", "anz", "nab", "rbc", "td", "pnc", "kbc", "dbs", "bmo.com", "caixa", "втб", "kraken", "kraken.com",
	"gemini.com", "phantom", "exodus", "plaid", "square dashboard", "stripe", "mollie", "adyen", "acorns", "chime", "sofi", "marcus", "webull", "bnp", "lcl",
}

// banksNot are the banks that hold no money: a title that ends in one of these and "bank" is not kept away.
var banksNot = map[string]bool{
	"food": true, "power": true, "blood": true, "data": true, "river": true, "piggy": true, "question": true, "memory": true,
	"west": true, "left": true, "right": true, "south": true, "milk": true, "seed": true, "image": true, "sperm": true, "gene": true,
	"tissue": true, "time": true, "word": true, "phone": true, "clothing": true, "toy": true, "test": true, "item": true, "the": true,
	"a": true, "sand": true, "sound": true, "photo": true, "font": true, "job": true, "outer": true, "dogger": true, "georges": true,
	"protein": true, "brain": true, "eye": true, "battery": true, "capacitor": true, "filter": true, "bottle": true, "world": true,
}

// vaultWords are a password manager's pages in a browser.
var vaultWords = []string{
	"bitwarden", "vaultwarden", "1password", "lastpass", "dashlane", "nordpass", "proton pass", "keeper vault", "roboform", "google password manager",
	"enpass", "icloud passwords", "passbolt", "psono", "keeweb", "chrome://password-manager", "edge://passwords", "about:logins", "passwords & autofill",
	"logins & passwords", "password manager",
}

// readers are sites that write about everything: a title that ends in one of these is about a bank, not at it.
var readers = []string{
	"wikipedia", "google search", "bing", "search", "duckduckgo", "at duckduckgo", "startpage", "ecosia", "youtube", "reddit", "hacker news", "stack overflow",
	"stack exchange", "github", "google docs", "google sheets", "google slides", "bbc news", "reuters", "the guardian", "the new york times",
	"wiktionary", "google news", "google scholar", "wikidata", "wikimedia commons",
}
