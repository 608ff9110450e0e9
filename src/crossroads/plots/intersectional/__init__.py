"""Figures of intersectional detections: the plane of two scores, ROC curves, discovered words."""
