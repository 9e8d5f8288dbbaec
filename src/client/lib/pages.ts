/** Reads pages until one has no `next`. */
export async function* pages<Page extends { readonly next: string | number | null }>(
  read: (after: NonNullable<Page['next']> | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  for (let after: Page['next'] | undefined; after !== null; ) {
    const page: Page = await read(after);
    yield page;
    after = page.next;
  }
}
