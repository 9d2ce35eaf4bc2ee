package xraw

// Post sends requests in one write and doesn't wait for them. What the server has to say against one is
// dropped: Sync after it says only that the server has worked through them.
func (c *Conn) Post(reqs ...[]byte) error {
	out, err := c.encode(reqs)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	c.seq += uint16(len(reqs)) // numbers wrap by design
	return c.write(out)
}
