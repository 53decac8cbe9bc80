import { expect, it } from 'vitest';
import { createPlaceMarks } from './place-marks.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

function open() {
  const written: number[] = [];
  const terminal = { hasRoom: true };
  const marks = createPlaceMarks((each) => {
    if (terminal.hasRoom) written.push(...each);
    return terminal.hasRoom ? 'put' : 'later';
  });
  const take = (text: string): string[] => {
    const { before, isMarked, after } = marks.take(bytes(text));
    return [before.toString('latin1'), ...(isMarked ? ['mark', after.toString('latin1')] : [])];
  };
  return { written, terminal, marks, take };
}

it('a mark is taken out where it comes, and one is on its way at a time', () => {
  const { written, marks, take } = open();
  expect(marks.put()).toBe('put');
  expect(marks.put()).toBe('later');
  expect(written).toEqual([0]);
  expect(take('before')).toEqual(['before']);
  expect(take('a\0b')).toEqual(['a', 'mark', 'b']);
  expect(marks.put()).toBe('put');
});

it('no mark is on its way where the terminal had no room', () => {
  const { terminal, marks, take } = open();
  terminal.hasRoom = false;
  expect(marks.put()).toBe('later');
  terminal.hasRoom = true;
  expect(marks.put()).toBe('put');
  expect(take('\0')).toEqual(['', 'mark', '']);
});

it('no mark is put where the command writes zero bytes itself: each of these stays', () => {
  const { marks, take } = open();
  expect(take('x\0y')).toEqual(['x\0y']);
  expect(marks.put()).toBe('never');
  const later = open();
  later.marks.put();
  expect(later.take('a\0b\0c')).toEqual(['a', 'mark', 'b\0c']);
  expect(later.marks.put()).toBe('never');
  expect(later.take('\0')).toEqual(['\0']);
});
