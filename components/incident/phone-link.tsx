import { toDialString } from "#lib/design/dial.ts";

/** A phone number as it was typed, as a link that dials it if the whole text is one number. */
export function PhoneLink({ number }: { number: string }) {
  const dialed = toDialString(number);
  if (dialed === null) return <bdi className="wrap-anywhere">{number}</bdi>;
  return (
    <a className="text-link -my-2.5 inline-flex min-h-11 items-center wrap-anywhere" href={`tel:${dialed}`}>
      <bdi>{number}</bdi>
    </a>
  );
}
