// What the .m files share. Never included by Go.
#ifndef CN_PRIVATE_H
#define CN_PRIVATE_H

#import <AppKit/AppKit.h>
#include "mac.h"

// Runs work on the main thread and returns what it gives; nil when that takes longer than seconds. A late block
// writes to nothing but a box of its own, so nobody has to wait for it.
id cn_on_main(double seconds, id (^work)(void));

// Puts a string into size bytes, cut at a character, with a zero at the end.
void cn_put(char *to, size_t size, NSString *s);

struct cn_rect cn_rect_of(CGRect r);

// The program of a process; empty when it can't be read.
void cn_put_exe(char *to, size_t size, int32_t pid);

#endif
