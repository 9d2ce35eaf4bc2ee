package running

// HowToStart is what to do where Conch isn't running.
const HowToStart = "Open it from the menu bar, then try again."
