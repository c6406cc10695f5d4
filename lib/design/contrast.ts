/**
 * Computes the contrast ratio of two solid colors, from 1 to 21 (WCAG 2.2, "contrast ratio").
 * @throws RangeError when a color is not `#rrggbb`
 */
export function computeContrastRatio(one: string, other: string): number {
  const [dark, light] = [computeRelativeLuminance(one), computeRelativeLuminance(other)].sort(
    (a, b) => a - b,
  ) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function computeRelativeLuminance(color: string): number {
  if (!/^#[0-9a-f]{6}$/.test(color)) throw new RangeError(`${color} is not a color such as #0b5a5c`);
  const [red, green, blue] = [1, 3, 5].map((at) =>
    linearizeChannel(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function linearizeChannel(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
