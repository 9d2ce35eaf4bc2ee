package policy

// A row names one app, or a family of one maker, and every mark by which it can be known. Marks are folded
// before they are compared (see fold). A * stands for any run of characters, at the end or inside.
type row struct {
	name     string // for a person
	ids      string // bundle ids and desktop-file ids, separated by spaces
	programs string // program, WM_CLASS class or instance, last part of an id; separated by spaces
	names    string // the app's whole name beside name itself, separated by "|"
}

// kinds are the kept-away kinds with what is said about each. The first kind that has a window decides, so
// the more telling ones stand first.
var kinds = []struct {
	kind Kind
	what string // "a password manager"
	say  string
	rows [][]row
}{
	{Conch, "Conch", "That's Conch itself. I can't see or press anything in it.", [][]row{conchRows}},
	{Prompt, "a password or permission prompt", "That's a prompt for your password or permission. Only you can answer it. Do that part yourself, then tell me.", [][]row{promptRows}},
	{Lock, "the lock or sign-in screen", "That's a lock, sign-in or sign-out screen. Only you can use it. Do that part yourself, then tell me.", [][]row{lockRows}},
	{Passwords, "a password manager", "That's a password manager. I can't see or touch it. Do that part yourself, then tell me.", [][]row{passwordRows}},
	{Money, "a banking, payment or crypto app", "That's for banking, payments or crypto. I can't see or touch it. Do that part yourself, then tell me.", [][]row{moneyRows}},
	{Terminal, "a terminal or script editor", "That's a terminal or a place where commands are run. I can't see or touch it. Do that part yourself, then tell me.", [][]row{terminalRows, scriptRows}},
	{Settings, "system settings", "That's this computer's settings. I can't see or touch them. Do that part yourself, then tell me.", [][]row{settingsRows}},
	{Disks, "a disk tool", "That's a tool that can erase disks or restore the system. I can't see or touch it. Do that part yourself, then tell me.", [][]row{diskRows}},
	{Launcher, "a launcher", "That's a place where commands can be run. I can't see or touch it. Use open_app to open an app.", [][]row{launcherRows}},
	{Notice, "a notification", "That's a notification, which may show private messages. I can't see or press it.", [][]row{noticeRows}},
	{OwnFiles, "Conch's own files", "That's where Conch keeps its own files. I can't see or touch them. Do that part yourself, then tell me.", nil},
}

var conchRows = []row{
	{"Conch", "conch app.conch app.conch.* com.conch.* org.conch.* io.conch.*", "conch", ""},
}

var passwordRows = []row{
	{"1Password", "com.1password.* com.agilebits.* onepassword*", "1password 1password-* onepassword*", ""},
	{"Bitwarden", "com.bitwarden.*", "bitwarden bitwarden-*", ""},
	{"KeePassXC", "org.keepassxc.*", "keepassxc keepassxc-*", ""},
	{"KeePass", "org.keepassx.* net.keepass.*", "keepass keepass2 keepassx keepassx2", ""},
	{"Keyguard", "com.artemchep.keyguard", "keyguard", ""},
	{"KeeWeb", "net.antelle.keeweb app.keeweb.*", "keeweb", ""},
	{"GNOME Secrets", "org.gnome.World.Secrets org.gnome.PasswordSafe", "secrets gnome-passwordsafe", "Secrets|Password Safe"},
	{"Passwords and Keys", "org.gnome.seahorse.*", "seahorse seahorse-*", ""},
	{"KWallet", "org.kde.kwalletmanager* org.kde.kwalletd*", "kwalletmanager kwalletmanager5 kwalletmanager6", "KWalletManager|Wallet Manager"},
	{"Keychain Access", "com.apple.keychainaccess", "", ""},
	{"Passwords", "com.apple.Passwords com.apple.Passwords-*", "", ""},
	{"Enpass", "in.sinew.Enpass*", "enpass", ""},
	{"LastPass", "com.lastpass.*", "lastpass", ""},
	{"Dashlane", "com.dashlane.*", "dashlane", ""},
	{"NordPass", "com.nordpass.* com.nordsec.nordpass*", "nordpass", ""},
	{"Proton Pass", "me.proton.pass.* ch.protonmail.pass*", "proton-pass protonpass", ""},
	{"Proton Authenticator", "me.proton.authenticator", "proton-authenticator", ""},
	{"RoboForm", "com.siber.*", "roboform", ""},
	{"Keeper", "com.callpod.* com.keepersecurity.*", "keeperpasswordmanager keeper-password-manager", "Keeper Password Manager"},
	{"Buttercup", "com.buttercup.* pw.buttercup.*", "buttercup buttercup-desktop", ""},
	{"Strongbox", "com.markmcguill.strongbox*", "strongbox", ""},
	{"MacPass", "com.hicknhacksoftware.MacPass", "macpass", ""},
	{"Elpass", "app.elpass.*", "elpass", ""},
	{"Password Safe", "org.pwsafe.*", "pwsafe passwordsafe", ""},
	{"pass", "org.qtpass.* com.ijhack.*", "qtpass qtpass-bin gopass-ui", "QtPass"},
	{"Password Store", "", "passmenu rofi-pass passff", ""},
	{"Gorilla", "", "password-gorilla", "Password Gorilla"},
	{"FPM2", "", "fpm2 revelation upm gpass", "Figaro's Password Manager 2|Revelation|Universal Password Manager"},
	{"Padloc", "app.padloc.*", "padloc", ""},
	{"AuthPass", "design.codeux.authpass*", "authpass", ""},
	{"Passky", "com.rabbitcompany.passky", "passky", ""},
	{"Passbolt", "com.passbolt.*", "passbolt", ""},
	{"SafeInCloud", "com.safeincloud.*", "safeincloud", ""},
	{"mSecure", "com.mseven.*", "msecure", ""},
	{"Sticky Password", "com.lamantine.*", "stickypassword", ""},
	{"Codebook", "net.zetetic.*", "codebook", ""},
	{"Minimalist", "com.minimalistpassword.*", "minimalistpassword", ""},
	{"Authy", "com.authy.*", "authy authy-desktop", "Authy Desktop"},
	{"Ente Auth", "io.ente.auth*", "ente-auth ente_auth enteauth", ""},
	{"Authenticator", "com.belmoussaoui.Authenticator com.github.bilelmoussaoui.Authenticator", "authenticator gnome-authenticator", ""},
	{"OTPClient", "com.github.paolostivanin.OTPClient", "otpclient", ""},
	{"Numberstation", "org.postmarketos.Numberstation", "numberstation", ""},
	{"Step Two", "com.neilsardesai.*", "steptwo", ""},
	{"Yubico Authenticator", "com.yubico.*", "yubioath-desktop yubico-authenticator ykman-gui yubikey-manager-qt authenticator-yubico", "YubiKey Manager"},
	{"Kleopatra", "org.kde.kleopatra", "kleopatra gpa", "GNU Privacy Assistant"},
	{"GPG Keychain", "org.gpgtools.gpgkeychain*", "", "GPG Keychain Access"},
	{"Cryptomator", "org.cryptomator.*", "cryptomator", ""},
	{"VeraCrypt", "org.idrix.VeraCrypt com.idrix.*", "veracrypt zulucrypt-gui zulumount-gui", ""},
}

var settingsRows = []row{
	{"System Settings", "com.apple.systempreferences com.apple.SystemPreferences com.apple.systemsettings com.apple.systempreferences.* com.apple.settings.*", "", "System Preferences"},
	{"Settings", "org.gnome.Settings org.gnome.ControlCenter gnome-*-panel", "gnome-control-center unity-control-center gnome-tweaks gnome-tweak-tool", ""},
	{"System Settings", "org.kde.systemsettings* org.kde.kcmshell* kcm_*", "systemsettings systemsettings5 systemsettings6 kcmshell kcmshell5 kcmshell6 plasma-settings kde-systemsettings kinfocenter", ""},
	{"Xfce settings", "xfce-*-settings xfce-settings-manager", "xfce4-settings-* xfce4-*-settings xfwm4-settings xfwm4-tweaks-settings xfwm4-workspace-settings xfce4-notifyd-config xfce4-mime-settings xfce4-file-manager-settings thunar-settings xfce4-panel-profiles xfdesktop-settings catfish-settings", "Settings Manager"},
	{"Cinnamon settings", "cinnamon-settings-*", "cinnamon-settings cinnamon-settings-users cinnamon-control-center", ""},
	{"MATE settings", "", "mate-control-center matecc mate-*-properties mate-tweak mate-appearance-properties mate-network-properties", "Control Center|Control Centre"},
	{"LXQt settings", "lxqt-config-*", "lxqt-config lxqt-config-* lxqt-admin-* pcmanfm-qt-desktop-pref", "LXQt Configuration Center"},
	{"LXDE settings", "", "lxappearance lxinput lxrandr obconf obconf-qt obkey lxsession-edit lxsession-default-apps", "Openbox Configuration Manager"},
	{"elementary settings", "io.elementary.switchboard io.elementary.settings*", "switchboard", ""},
	{"Deepin control centre", "org.deepin.dde.control-center", "dde-control-center", ""},
	{"Budgie control centre", "org.buddiesofbudgie.*", "budgie-control-center budgie-desktop-settings", ""},
	{"COSMIC settings", "com.system76.CosmicSettings*", "cosmic-settings pop-cosmic-settings", ""},
	{"UKUI settings", "", "ukui-control-center", ""},
	{"Enlightenment settings", "", "enlightenment_settings enlightenment_sys", ""},
	{"Displays", "", "arandr autorandr-launcher wdisplays nwg-displays nvidia-settings lxrandr zarfy", ""},
	{"Network connections", "", "nm-connection-editor connman-gtk cmst wicd-gtk wpa_gui iwgtk", ""},
	{"Users and groups", "", "users-admin mate-users-admin system-config-users mugshot", ""},
	{"Firewall", "com.objective-see.lulu*", "gufw gufw.py firewall-config opensnitch-ui portmaster-app littlesnitch", "LuLu|Little Snitch"},
	{"Software sources", "", "software-properties-gtk software-properties-qt software-properties-kde synaptic synaptic-pkexec muon mintsources mintupdate update-manager pamac-manager octopi gdebi gdebi-gtk dnfdragora yumex", "Synaptic Package Manager"},
	{"Settings database", "ca.desrt.dconf-editor", "dconf-editor gconf-editor regedit kconf_editor", "dconf Editor"},
	{"YaST", "org.opensuse.yast*", "yast yast2 y2base", ""},
	{"Login screen settings", "", "lightdm-gtk-greeter-settings lightdm-settings gdm-settings slick-greeter-settings sddm-config-editor", ""},
	{"Start-up apps", "", "gnome-session-properties mate-session-properties xfce4-session-settings", "Startup Applications"},
	{"Flatseal", "com.github.tchx84.Flatseal", "flatseal", ""},
	{"Printers", "", "system-config-printer", "Print Settings"},
	{"Profiles", "com.apple.ManagedClient* com.apple.mcx* com.apple.wifi.diagnostics com.apple.DirectoryUtility com.apple.AirPort.* com.apple.print.PrinterSetup*", "", "Directory Utility"},
}

var diskRows = []row{
	{"Disk Utility", "com.apple.DiskUtility", "", ""},
	{"GParted", "org.gnome.GParted* gparted", "gparted gpartedbin gparted-pkexec", ""},
	{"Disks", "org.gnome.DiskUtility org.gnome.Disks", "gnome-disks gnome-disk-utility gnome-disk-image-mounter gnome-disk-image-writer palimpsest", ""},
	{"KDE Partition Manager", "org.kde.partitionmanager", "partitionmanager", ""},
	{"Blivet", "", "blivet-gui blivet", ""},
	{"Disk writer", "io.balena.etcher* com.raspberrypi.rpi-imager org.raspberrypi.rpi-imager org.fedoraproject.MediaWriter org.kde.isoimagewriter com.system76.Popsicle com.github.popsicle", "balenaetcher balena-etcher etcher balena-etcher-electron rpi-imager mediawriter isoimagewriter popsicle popsicle-gtk usb-creator-gtk usb-creator-kde mintstick unetbootin woeusb woeusbgui ventoygui* startup-disk-creator usbimager suse-imagewriter imagewriter caligula multisystem", "balenaEtcher|Raspberry Pi Imager|Fedora Media Writer|Startup Disk Creator|USB Image Writer"},
	{"System restore", "com.apple.MigrateAssistant com.apple.bootcampassistant com.apple.backup.launcher com.apple.StartupDisk*", "timeshift timeshift-gtk timeshift-launcher clonezilla rescuezilla", "Timeshift|Migration Assistant|Boot Camp Assistant|Time Machine"},
	{"Cleaner", "org.bleachbit.BleachBit net.freemacsoft.AppCleaner com.macpaw.* com.piriform.*", "bleachbit bleachbit-root stacer sweeper czkawka_gui krokiet", "BleachBit|CCleaner|CleanMyMac"},
	{"Installer", "com.apple.installer io.calamares.calamares", "calamares ubiquity debian-installer-launcher anaconda subiquity", "Calamares"},
}

var launcherRows = []row{
	{"Spotlight", "com.apple.Spotlight com.apple.campo", "", ""},
	{"Launchpad", "com.apple.launchpad.launcher com.apple.apps.launcher", "", ""},
	{"Alfred", "com.runningwithcrayons.Alfred*", "", ""},
	{"Raycast", "com.raycast.*", "raycast", ""},
	{"LaunchBar", "at.obdev.LaunchBar*", "", ""},
	{"Quicksilver", "com.blacktree.Quicksilver", "", ""},
	{"KRunner", "org.kde.krunner", "krunner", ""},
	{"Application Finder", "xfce4-run", "xfce4-appfinder xfrun4 xfce4-run", ""},
	{"Run dialog", "", "gmrun grun fbrun gexec bashrun bashrun2 lxqt-runner razor-runner budgie-run-dialog gnome-run lxpanelctl qrun e_run wmrun xrun xbindkeys-run rundialog yadm-run", ""},
	{"rofi", "", "rofi rofi-* wofi fuzzel bemenu bemenu-* dmenu dmenu_run dmenu-* tofi tofi-* wmenu wmenu-* onagre anyrun walker sherlock sherlock-launcher yofi kickoff sirula nwg-drawer nwggrid xlauncher lighthouse j4-dmenu-desktop", ""},
	{"Albert", "org.albertlauncher.*", "albert", ""},
	{"Ulauncher", "io.ulauncher.Ulauncher", "ulauncher", ""},
	{"Synapse", "com.system76.CosmicLauncher", "synapse kupfer kupfer.py gnome-do cerebro zazu ueli mutate slingshot pop-launcher cosmic-launcher vicinae", "Kupfer|GNOME Do|Cerebro|Ueli"},
}

var noticeRows = []row{
	{"Notifications", "com.apple.notificationcenterui com.apple.NotificationCenter", "", "Notification Center|Notification Centre"},
	{"Notifications", "", "notify-osd dunst mako xfce4-notifyd notification-daemon mate-notification-daemon lxqt-notificationd swaync swaync-client deadd-notification-center linux_notification_center fnott wired tiramisu statnot twmn twmnd naughty-notification herbe kdeconnectd-notify lxqt-notification budgie-notification cosmic-notifications dde-osd", ""},
}
