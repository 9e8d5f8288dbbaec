/** An agent by its id, as hubs make them: whom it is of, and what they are called, only the hub knows. */
export function isAgentId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
