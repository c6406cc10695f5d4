import type { Metadata } from "next";
import { NotFoundMessage } from "#components/shell/messages.tsx";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return <NotFoundMessage />;
}
