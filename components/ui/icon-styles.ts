import "./generated/icons.css";
