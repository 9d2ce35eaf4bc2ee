// What the program asks of macOS beside windows and menus, as plain C: what answers for the web view, and a few
// facts. All of it is for the main thread, but for cn_app_has_screen.
#ifndef CN_PAGE_H
#define CN_PAGE_H

#include <stdint.h>

// The object that answers for a web view, which it keeps no longer than it lives. origin is the only place that
// pages are loaded from, such as http://localhost:4778. It lives as long as the program.
void *cn_page_keeper(const char *origin);
// Makes keeper answer for the web view.
void cn_page_keep(void *keeper, void *web_view);
// Loads an address.
void cn_page_load(void *keeper, const char *url);

// Whether this process is in a session with a screen: 1 or 0.
int32_t cn_app_has_screen(void);
// Whether macOS started us because the person logged in. For applicationDidFinishLaunching.
int32_t cn_app_at_login(void);

// Go: what to do with an address (pagerule.go). It only reckons, so it may be called on the main thread.
extern int32_t cn_page_rule(char *origin, char *url, int32_t from);

#endif
