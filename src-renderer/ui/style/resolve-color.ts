/** Resolves a colour token as it is right now, for things that are not drawn by CSS (canvas, terminal). */
export function resolveColor(token: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
