"""Linear support vector machine: a row's class by the widest margin between classes, one against the rest."""
