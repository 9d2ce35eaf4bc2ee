// What our C files share; not for Go, so it may name Apple's types.
#ifndef CN_EVENTS_H
#define CN_EVENTS_H

#include <ApplicationServices/ApplicationServices.h>
#include <stdint.h>

// cn_tell puts one record into the pipe, from any thread; without a pipe it does nothing.
void cn_tell(uint32_t kind, uint32_t id, double x, double y);
// cn_is_own says whether Conch itself made an event; 0 for NULL.
int cn_is_own(CGEventRef e);

#endif
