import type { Metadata } from "next";
import { NotFoundMessage } from "#components/shell/messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <NarrowFrame width="reading">
      <NotFoundMessage />
    </NarrowFrame>
  );
}
