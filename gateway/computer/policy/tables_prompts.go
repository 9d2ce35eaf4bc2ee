package policy

var promptRows = []row{
	{"SecurityAgent", "com.apple.SecurityAgent com.apple.SecurityAgent* com.apple.securityagent", "securityagent securityagenthelper*", ""},
	{"Touch ID", "com.apple.LocalAuthentication* com.apple.coreauthd com.apple.coreauthui com.apple.LocalAuthenticationUIService com.apple.biometrickitd", "coreauthd coreautha localauthenticationremoteservice", ""},
	{"Permission prompt", "com.apple.UserNotificationCenter com.apple.accessibility.universalAccessAuthWarn com.apple.universalAccessAuthWarn com.apple.tccd com.apple.TCC.* com.apple.coreservices.uiagent com.apple.CoreServicesUIAgent com.apple.security.pboxd.prompt", "usernotificationcenter universalaccessauthwarn coreservicesuiagent", ""},
	{"Sign-in prompt", "com.apple.AuthKit* com.apple.AuthenticationServicesUI* com.apple.AuthenticationServices.* com.apple.AppSSOAgent com.apple.KerberosMenuExtra com.apple.PassKit* com.apple.PassbookUIService com.apple.NetAuthAgent com.apple.netauth.* com.apple.keychain-circle-notification com.apple.security.Keychain-Circle-Notification com.apple.FollowUpUI com.apple.AOSUIPrefPaneLauncher", "netauthagent netauthsysagent authenticationservicesagent", ""},
	{"polkit", "org.kde.polkit-kde-authentication-agent-1 polkit-* io.elementary.desktop.agent-polkit", "polkit-* *-polkit *-polkit-* polkitd lxpolkit lxqt-policykit-agent lxqt-policykit* xfce-polkit mate-polkit ukui-polkit dde-polkit-agent policykit-* polkit-agent-helper-1 hyprpolkitagent soteria cmd-polkit agent-polkit pantheon-agent-polkit cosmic-polkit ts-polkitagent", "Authenticate|Authentication Required"},
	{"pinentry", "org.gpgtools.pinentry* org.gnupg.pinentry*", "pinentry pinentry-* pinentry_*", ""},
	{"Keyring prompt", "org.gnome.keyring.* org.gnome.Gcr*", "gcr-prompter gcr-prompter-* gcr-viewer gcr4-* gcr-ssh-askpass gcr4-ssh-askpass gnome-keyring gnome-keyring-* gnome-keyring-ask gnome-keyring-prompt", ""},
	{"SSH password", "", "ssh-askpass ssh-askpass-* *-ssh-askpass gnome-ssh-askpass gnome-ssh-askpass* ksshaskpass ksshaskpass* x11-ssh-askpass lxqt-openssh-askpass openssh-askpass qt4-ssh-askpass git-gui--askpass systemd-ask-password git-credential-* gcm-ui git-credential-manager", "OpenSSH Authentication Passphrase request"},
	{"KWallet prompt", "org.kde.kwalletd*", "kwalletd kwalletd5 kwalletd6 ksecretd kwallet-query kwalletcli_getpin", ""},
	{"Run as administrator", "", "gksu gksudo gksu-properties kdesu kdesu5 kdesudo lxsu lxsudo lxqt-sudo beesu gtksu pkexec ktsuss su-to-root zensu sudo-askpass gksu-polkit", ""},
	{"Network password", "", "nm-applet-auth nm-openconnect-auth-dialog nm-*-auth-dialog network-manager-auth kded5-auth", ""},
	{"Portal permission", "", "xdg-permission-* flatpak-portal-prompt snapd-prompting-client prompting-client prompting_client_ui prompting-client-ui", ""},
	{"OAuth sign-in", "org.gnome.OnlineAccounts.OAuth2 org.kde.kaccounts", "goa-oauth2-handler gnome-online-accounts-gtk signon-ui", ""},
	{"VPN sign-in", "com.apple.NEFilter*", "openvpn-askpass openconnect-sso", ""},
}

var lockRows = []row{
	{"Login window", "com.apple.loginwindow com.apple.FileVault*", "loginwindow", ""},
	{"Screen saver", "com.apple.ScreenSaver* com.apple.screensaver.*", "screensaverengine screensaver", ""},
	{"Lock screen", "", "xscreensaver xscreensaver-* light-locker light-locker-* i3lock i3lock-* slock xlock xlockmore xsecurelock xsecurelock_* saver_* auth_x11 dialog_x11 xtrlock alock physlock betterlockscreen sxlock vlock pyxtrlock xssproxy gnome-screensaver gnome-screensaver-dialog mate-screensaver mate-screensaver-dialog cinnamon-screensaver cinnamon-screensaver.py cinnamon-screensaver-* xfce4-screensaver xfce4-screensaver-dialog kscreenlocker kscreenlocker_greet kscreenlocker_test ukui-screensaver ukui-screensaver-dialog dde-lock deepin-screensaver swaylock hyprlock gtklock waylock cosmic-greeter lxlock nwg-lock budgie-screenlock unity-lock", ""},
	{"Sign-in screen", "io.elementary.greeter", "lightdm lightdm-* *-greeter *-greeter-* slick-greeter unity-greeter pantheon-greeter web-greeter nody-greeter gdm gdm3 gdm-* gdm-session-worker sddm sddm-greeter sddm-greeter-qt6 lxdm lxdm-greeter-gtk lxdm-greeter-gdk slim xdm xlogin kdm kdm_greet entrance ly-gui nodm plasma-login-greeter regreet gtkgreet tuigreet", ""},
	{"Sign-out", "org.buddiesofbudgie.PowerDialog", "lxsession-logout lxqt-leave xfce4-session xfce4-session-logout mate-session-save mate-session-logout gnome-session-quit cinnamon-session-quit cinnamon-killer-daemon ksmserver ksmserver-logout-greeter budgie-session-dialog dde-shutdown oblogout clearine arcologout archlinux-logout wlogout nwg-bar lxsession-exit obsession-exit obsession-logout obsession cb-exit bl-exit am-exit powerkit exitscreen ukui-session-tools", ""},
}

// A dialog is told from the other windows of its program by its title: a panel's "Run" box, a portal's
// permission question beside its file choosers.
type dialog struct {
	programs string
	titles   []string // whole titles, folded; "*" inside as in a row
	kind     Kind
	name     string
}

var dialogs = []dialog{
	{"lxpanel lxpanelctl", []string{"run", "logout", "log out"}, Launcher, "Run dialog"},
	{"mate-panel", []string{"run application", "run", "log out*", "shut down*"}, Launcher, "Run dialog"},
	{"gnome-panel xfce4-panel budgie-panel cinnamon marco metacity lxqt-panel tint2 wmaker enlightenment gnome-flashback", []string{"run application", "run program*", "run...", "run", "run a command*", "enter a command"}, Launcher, "Run dialog"},
	{"nm-applet network-manager-gnome", []string{"*authentication required*", "*password*", "*authenticat*"}, Prompt, "Network password"},
	{"nm-applet network-manager-gnome", []string{"network connections", "editing *"}, Settings, "Network connections"},
	{"plasmashell", []string{"*notification*"}, Notice, "Notifications"},
	{"xdg-desktop-portal xdg-desktop-portal-*", []string{
		"", "*share*", "*screen*", "*remote*", "*permission*", "*allow*", "*access*", "*background*", "*camera*", "*microphone*",
		"*location*", "*password*", "*account*", "*shortcut*", "*capture*", "*request*",
	}, Prompt, "Permission prompt"},
	{"yad zenity kdialog xdialog qarma matedialog", []string{"*password*", "*passphrase*", "*passwort*", "*mot de passe*", "*contrasena*", "*authenticat*", "*sudo*"}, Prompt, "Password prompt"},
	{"pcmanfm thunar nemo caja nautilus dolphin org.gnome.nautilus", []string{"*authentication required*", "enter password*", "connect to server*password*"}, Prompt, "Password prompt"},
}
