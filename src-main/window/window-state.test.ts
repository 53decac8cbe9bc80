import { expect, test } from 'vitest';
import { parseWindowState, placeWindow } from './window-state.js';

const screen = { x: 0, y: 25, width: 1440, height: 875 };
const second = { x: 1440, y: 0, width: 1920, height: 1080 };
const onScreen = { x: 100, y: 100, width: 1000, height: 700 };

test('A window goes back to where it was, also on a second screen', () => {
  expect(placeWindow(onScreen, [screen])).toEqual(onScreen);
  const there = { ...onScreen, x: 1600 };
  expect(placeWindow(there, [screen, second])).toEqual(there);
});

test.each([
  ['on a screen that is gone', { ...onScreen, x: 1600 }],
  ['far off every screen', { ...onScreen, x: -50_000, y: 50_000 }],
  ['above the top', { ...onScreen, y: -600 }],
  ['with a sliver to the left', { ...onScreen, x: -990 }],
])('A window %s comes to the middle of the first', (_what, remembered) => {
  expect(placeWindow(remembered, [screen])).toEqual({ x: 220, y: 113, width: 1000, height: 700 });
});

test('A window is never larger than its screen nor smaller than can be used', () => {
  expect(placeWindow({ ...onScreen, width: 9000, height: 9000 }, [screen])).toMatchObject({ width: 1440, height: 875 });
  expect(placeWindow({ ...onScreen, width: 1, height: -5 }, [screen])).toMatchObject({
    x: 400,
    width: 640,
    height: 480,
  });
  expect(placeWindow(null, [screen])).toMatchObject({ width: 1280, height: 820 });
  expect(placeWindow(null, [])).toMatchObject({ width: 1280, height: 820 });
});

test.each([
  [null],
  [''],
  ['null'],
  ['{'],
  ['[]'],
  ['{"bounds":{"x":0,"y":0,"width":"wide","height":1},"maximized":false,"theme":"dark"}'],
  ['{"bounds":{"x":1e308,"y":0,"width":5,"height":1},"maximized":false,"theme":"dark"}'],
  ['{"bounds":{"x":0,"y":0,"width":5,"height":5},"maximized":false,"theme":"pink"}'],
  ['{"__proto__":{"maximized":true}}'],
])('%j is no window state', (text) => {
  expect(parseWindowState(text)).toBeNull();
});

test('A good state is taken, also with more in it than is known', () => {
  const state = { bounds: onScreen, maximized: true, theme: 'dark', zoom: 2 };
  expect(parseWindowState(JSON.stringify(state))).toMatchObject({ maximized: true, theme: 'dark' });
});
