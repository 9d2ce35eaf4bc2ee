// The Stop button and what our panels need besides darwinkit: plain C, so that its Go side is checked without a Mac.
#ifndef CN_BUTTON_H
#define CN_BUTTON_H

#include <stdint.h>

// On the main thread only: a button that shows nothing of its own, takes the first press on a panel that is never
// key, and tells CN_BUTTON for each press that isn't Conch's own. It returns an NSView, retained for the caller,
// width and height in points.
void *cn_button_new(double width, double height);

// How many of these windows the window server has on the screen now. From any thread.
int cn_panels_shown(const uint32_t *numbers, int n);

// On the main thread only: tell CN_SCREENS and CN_MOTION from now on, until cn_unobserve.
void cn_observe(void);
void cn_unobserve(void);

#endif
