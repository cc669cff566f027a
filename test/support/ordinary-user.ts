const NOBODY = 65_534;

/** Root may write every file: what keeps others from doing so can be seen only as one of them. */
export async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
