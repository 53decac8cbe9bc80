import { describe, expect, it, onTestFinished } from 'vitest';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSocketPlace } from '../../platform/data-folder/socket-place.js';
import { openDoors } from '../doors.test-support.js';
import { end, never, startBridge } from './mcp-stdio.test-support.js';

describe('MCP on stdin and stdout, where no app runs, or one that can’t be spoken with', () => {
  it('exits with 2 when nothing runs and it may not start anything', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const bridge = startBridge(doors.dataDir);
    expect(await bridge.exit).toBe(2);
    expect(bridge.complaints).toHaveLength(1);
    expect(bridge.complaints[0]).toContain('--workspace');
    expect(bridge.received).toEqual([]);
  });

  it('starts the app where it may, and keeps what the client said meanwhile', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const started: string[] = [];
    const bridge = startBridge(doors.dataDir, '/some/workspace', () => {
      started.push('app');
      void doors.startServing();
      return never();
    });
    await bridge.introduce();
    expect((await bridge.ask(1, 'tools/list')).result?.['tools']).toHaveLength(3);
    expect(started).toEqual(['app']);
    await end(bridge);
  });

  it('starts it again where the app that was there was only closing', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const started: string[] = [];
    const bridge = startBridge(
      doors.dataDir,
      '/some/workspace',
      () => {
        started.push('app');
        if (started.length === 2) void doors.startServing();
        return never();
      },
      null,
      () => (started.length === 1 ? Promise.resolve() : never()),
    );
    await bridge.introduce();
    expect(started).toEqual(['app', 'app']);
    await end(bridge);
  });

  it('says so when an app is there and says nothing, or is of another version, and starts none beside it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-silent-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const said: string[] = [];
    const stranger = createServer((socket) => {
      socket.on('error', () => undefined);
      if (said.length === 0) socket.destroy();
      else socket.end(said.join(''));
    });
    await new Promise<void>((resolve) => stranger.listen(makeSocketPlace(dataDir), resolve));
    onTestFinished(() => void stranger.close());
    const another = (): Promise<string> => Promise.reject(new Error('It started another.'));
    const quiet = startBridge(dataDir, '/some/workspace', another, null, never, 300);
    expect(await quiet.exit).toBe(1);
    expect(quiet.complaints).toEqual([expect.stringContaining('does not answer')]);

    said.push('{"kind":"gatehouse-pipe-9","ok":false,"problem":"it is newer"}\n');
    const newer = startBridge(dataDir, '/some/workspace', another);
    expect(await newer.exit).toBe(1);
    expect(newer.complaints).toEqual(['gatehouse: it is newer']);
  });

  it('tells a command of another version why it is not let in', async () => {
    await using doors = await openDoors();
    const socket = connect(makeSocketPlace(doors.dataDir));
    socket.write('{"kind":"gatehouse-pipe-1","agent":null}\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(JSON.parse(answer.toString('utf8'))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('another version') as string,
    });
    socket.destroy();
  });

  it('says why when the app can not be started', async () => {
    await using doors = await openDoors();
    await doors.stopServing();
    const bridge = startBridge(doors.dataDir, '/some/workspace', () => Promise.resolve('it ended with exit code 2'));
    expect(await bridge.exit).toBe(1);
    expect(bridge.complaints.join()).toContain('exit code 2');
    expect(bridge.received).toEqual([]);
  });
});
