package running

// HowToStart is what to do where Conch isn't running.
const HowToStart = "Start it with “conch”, then try again."
