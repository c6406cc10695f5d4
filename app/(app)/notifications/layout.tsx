export { ReporterFrame as default } from "#components/incident/reporter-frame.tsx";
