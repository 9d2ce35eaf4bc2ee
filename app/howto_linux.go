package main

// howToStart is what to do where Conch isn't running.
const howToStart = "Start it with “conch”, then try again."
