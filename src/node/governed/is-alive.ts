/** Is there a process of that number on this machine? */

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It is there, and not ours to ask.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
