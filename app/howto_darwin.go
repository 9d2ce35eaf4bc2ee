package main

// howToStart is what to do where Conch isn't running.
const howToStart = "Open it from the menu bar, then try again."
