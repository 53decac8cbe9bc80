// One set-up at a time in one working tree: a file that names the process which is at it.
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inProject, say } from './project.mjs';

export async function withLock(name, work) {
  mkdirSync(inProject('.runtime'), { recursive: true });
  const file = inProject('.runtime', `${name}.lock`);
  let said = false;
  while (!take(file)) {
    if (!said) say(`waiting for another ${name} in this folder to end…`);
    said = true;
    await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // Left by one that was ended: nobody is at it.
    if (!isAlive(holder(file))) clear(file);
    return false;
  }
}

/** Of several who find it left, one takes it away, by its name. Another's may stand there by then: that is put back. */
function clear(file) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (isAlive(holder(aside))) linkSync(aside, file);
  } catch {
    // Gone by itself, or taken anew.
  }
  rmSync(aside, { force: true });
}

function holder(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Just made, and its name not yet in it.
    return pid === 0 ? process.pid : pid;
  } catch {
    return process.pid;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
