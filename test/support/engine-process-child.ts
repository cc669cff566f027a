/** The engine's process as a child of Node: what it is given through Electron comes over the channel to its parent. */
const port = {
  on: (_: 'message', listener: (message: { data: unknown; ports: [] }) => void) =>
    process.on('message', (data) => {
      // Like an endless loop over foreign data: nothing else happens in this process any more.
      if (data === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      listener({ data, ports: [] });
    }),
  postMessage: (message: object) => process.send?.(message),
};
// It ends with the test that started it.
process.once('disconnect', () => process.exit());
Object.assign(process, { parentPort: port });
await import('../../src/main/engine-process/engine-process.ts');
