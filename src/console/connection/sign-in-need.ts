/** Whether the hub wants to know who somebody is: it says so with its page, so that nobody has to try and be refused. */

export async function needsProof(): Promise<boolean> {
  try {
    const { headers } = await fetch('./', { method: 'HEAD', cache: 'no-store' });
    return headers.get('parley-auth') !== 'none';
  } catch {
    return true;
  }
}
